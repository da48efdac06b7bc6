/** The checksum by which Cloud Storage knows content. */
import { createReadStream } from 'node:fs'
import { crc32c } from '@node-rs/crc32'

/** crc32c of a file as Cloud Storage writes it: base64 of four bytes, the highest first. */
export async function readCrc32c(path: string): Promise<string> {
  let sum = 0
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 }))
    sum = crc32c(chunk as Buffer, sum)
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(sum)
  return bytes.toString('base64')
}
