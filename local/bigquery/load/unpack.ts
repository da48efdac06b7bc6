/** Text files made ready: the kind of content is checked by its first bytes, gzip is unpacked and verified whole. */
import { createReadStream, createWriteStream } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import type { ObjectFile } from '../../service.ts'
import type { Run } from '../jobs/run.ts'
import type { Plain } from './automaton.ts'
import type { LoadConfig } from './config.ts'
import type { TextFile } from './exact.ts'
import { makeProof } from './fast.ts'
import { fileError } from './problem.ts'

const signatures = [
  { name: 'Parquet', bytes: 'PAR1' },
  { name: 'Avro', bytes: 'Obj\x01' },
  { name: 'ORC', bytes: 'ORC' },
  { name: 'ZIP', bytes: 'PK\x03\x04' },
  { name: 'Zstandard', bytes: '\x28\xb5\x2f\xfd' },
  { name: 'bzip2', bytes: 'BZh' },
] as const

export async function readHead(path: string): Promise<string> {
  const handle = await open(path)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(16), 0, 16, 0)
    return buffer.toString('latin1', 0, bytesRead)
  } finally {
    await handle.close()
  }
}

export function contentName(head: string): string | undefined {
  if (head.startsWith('\x1f\x8b')) return 'gzip'
  return signatures.find(s => head.startsWith(s.bytes))?.name
}

/** DuckDB's own reader takes a cut-off gzip file for a whole one; this doesn't. */
async function gunzip(run: Run, file: ObjectFile, index: number, plain?: Plain): Promise<TextFile> {
  const path = join(run.engine.scratch, `${run.jobId}-${index}.txt`)
  run.defer(() => rm(path, { force: true }))
  const proof = plain && makeProof(plain)
  let size = 0
  const watch = async function* (source: AsyncIterable<Buffer>) {
    for await (const chunk of source) {
      size += chunk.length
      proof?.feed(chunk)
      yield chunk
    }
  }
  const source = createReadStream(file.path, { highWaterMark: 2 ** 18 })
  const sink = createWriteStream(path, { highWaterMark: 2 ** 22 })
  try {
    await pipeline(source, createGunzip({ chunkSize: 2 ** 20 }), watch, sink)
  } catch (error) {
    const cause = error instanceof Error ? error.message : 'corrupt'
    throw fileError(file, `The compressed file is truncated or corrupt (${cause}).`)
  }
  return { file, path, size, ...(proof ? { proof } : {}) }
}

async function unpackOne(
  run: Run,
  file: ObjectFile,
  index: number,
  format: LoadConfig['format'],
  plain?: Plain,
) {
  const content = contentName(await readHead(file.path))
  if (content === 'gzip') return gunzip(run, file, index, plain)
  if (content) throw fileError(file, `The file holds ${content} data, not ${format}.`)
  return { file, path: file.path, size: file.size }
}

/** A few at a time, which keeps all cores busy. */
export async function unpack(
  run: Run,
  files: readonly ObjectFile[],
  format: LoadConfig['format'],
  plain?: Plain,
): Promise<TextFile[]> {
  const ready: TextFile[] = []
  const width = 4
  for (let from = 0; from < files.length; from += width) {
    run.check()
    const batch = files.slice(from, from + width)
    ready.push(...(await Promise.all(batch.map((file, i) => unpackOne(run, file, from + i, format, plain)))))
  }
  return ready
}
