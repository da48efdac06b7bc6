/** Snapshots that come again, where the same rows must not count twice. */
import { contentOf } from './ids.ts'
import type { PendingSnapshot, RunState } from './run-plan.ts'

/** Snapshots whose rows are in the table already, with the same files or with others. */
export function findApplied(pending: readonly PendingSnapshot[], { applied }: RunState) {
  return pending.flatMap(snapshot => {
    const content = applied?.get(snapshot.id)
    return content === undefined ? [] : [{ snapshot, same: content === contentOf(snapshot) }]
  })
}
