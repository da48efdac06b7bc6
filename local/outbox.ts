/** Events that still have to be delivered, as files: a crash between an upload and its delivery loses none. */
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Outbox {
  /** Remembers `value` under `id`, before it returns. */
  put(id: string, value: unknown): void
  /** Forgets it: it was delivered. */
  remove(id: string): void
  /** What an earlier process left undelivered, oldest first. */
  readonly left: readonly unknown[]
}

/** Ids come from outside, so they are hashed before they name a file. */
const fileName = (id: string) => `${createHash('sha256').update(id).digest('hex').slice(0, 32)}.json`

export function openOutbox(folder: string): Outbox {
  mkdirSync(folder, { recursive: true })
  const files = readdirSync(folder).filter(file => file.endsWith('.json'))
  const entries = files.map((file): { at: number; value: unknown } =>
    JSON.parse(readFileSync(join(folder, file), 'utf8')),
  )
  let next = Math.max(0, ...entries.map(entry => entry.at)) + 1
  return {
    left: entries.toSorted((a, b) => a.at - b.at).map(entry => entry.value),
    put(id, value) {
      const path = join(folder, fileName(id))
      writeFileSync(`${path}.new`, JSON.stringify({ at: next++, value }))
      renameSync(`${path}.new`, path)
    },
    remove: id => rmSync(join(folder, fileName(id)), { force: true }),
  }
}
