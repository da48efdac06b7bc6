/** Real tables: versions of the npm package `all-the-package-repos`, each a list of all packages of the registry. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { z } from 'zod'

const run = promisify(execFile)
const entry = z.record(z.string(), z.string().nullable())

/** One package a line, with a comma behind it but for the last; the first and the last line are braces. */
function parseLine(line: string): string | undefined {
  const text = line.trim().replace(/,$/, '')
  if (!text.startsWith('"')) return undefined
  const [[name, repo] = []] = Object.entries(entry.parse(JSON.parse(`{${text}}`)))
  return `${JSON.stringify({ name, repo })}\n`
}

async function writeRows(packages: string, file: string): Promise<void> {
  const out = createWriteStream(`${file}.part`)
  for await (const line of createInterface({
    input: createReadStream(packages),
    crlfDelay: Number.POSITIVE_INFINITY,
  })) {
    const row = parseLine(line)
    if (row !== undefined && !out.write(row)) await once(out, 'drain')
  }
  out.end()
  await once(out, 'finish')
  await rename(`${file}.part`, file)
}

/** Writes a version's rows as NDJSON into `dir/<id>/`, unless they are there; answers with that directory. */
export async function fetchVersion(dir: string, id: number, version: string): Promise<string> {
  const target = join(dir, version, String(id))
  const file = join(target, 'packages.ndjson')
  if (existsSync(file)) return target
  await mkdir(target, { recursive: true })
  const work = join(dir, `${version}.work`)
  await mkdir(work, { recursive: true })
  await run('npm', ['pack', `all-the-package-repos@${version}`, '--pack-destination', work])
  await run('tar', [
    '-xzf',
    join(work, `all-the-package-repos-${version}.tgz`),
    '-C',
    work,
    'package/data/packages.json',
  ])
  await writeRows(join(work, 'package/data/packages.json'), file)
  await rm(work, { recursive: true })
  return target
}
