/** One writer for each table: jobs that write the same table go one after another. */
import { keyOf, type TableId } from '../catalogue/entry.ts'

export interface Locks {
  /** Waits for all of them, in one fixed order so that two jobs can't wait for each other. Answers how to let go. */
  hold(ids: readonly TableId[]): Promise<() => void>
}

export function makeLocks(): Locks {
  const tails = new Map<string, Promise<void>>()
  const holdOne = async (key: string) => {
    const before = tails.get(key)
    const { promise, resolve } = Promise.withResolvers<void>()
    tails.set(key, promise)
    await before
    return () => {
      if (tails.get(key) === promise) tails.delete(key)
      resolve()
    }
  }
  return {
    async hold(ids) {
      const held: (() => void)[] = []
      for (const key of [...new Set(ids.map(keyOf))].sort()) held.push(await holdOne(key))
      return () => {
        for (const release of held.splice(0)) release()
      }
    },
  }
}
