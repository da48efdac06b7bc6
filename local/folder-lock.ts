/** One process owns a data folder at a time; a lock that a dead process left behind is taken over. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Locks of this very process: in a container a process often gets the id of the one that died before it. */
const held = new Set<string>()

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

function tryCreate(path: string): boolean {
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}

/** Creates `dir` if need be and locks it. Returns what unlocks it; throws with the other's process id. */
export function lockFolder(dir: string): () => void {
  mkdirSync(dir, { recursive: true })
  const path = join(dir, 'lock')
  if (!tryCreate(path)) {
    const owner = Number(readFileSync(path, 'utf8'))
    const alive = owner === process.pid ? held.has(path) : owner > 0 && isAlive(owner)
    if (alive)
      throw new Error(
        `An embedded cloud already runs on ${dir} (process ${owner}). Stop it, or use another folder; if that process is something else, delete ${path}.`,
      )
    rmSync(path, { force: true })
    if (!tryCreate(path)) throw new Error(`Another embedded cloud has just started on ${dir}.`)
  }
  held.add(path)
  return () => {
    if (held.delete(path)) rmSync(path, { force: true })
  }
}
