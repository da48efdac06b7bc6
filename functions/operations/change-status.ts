/** How each change feed stands, read from the state bucket alone. */
import type { ChangeDeps } from '../handlers/change-deps.ts'
import type { RefreshMessage } from '../message.ts'

export interface ChangeFeedStatus {
  readonly feed: string
  readonly table: string
  /** Files that are not over, and what each is at: `check`, `send` or `wait`. */
  readonly open: readonly { readonly object: string; readonly phase: string; readonly arrivedAt: string }[]
  /** What was told about the file that ended last. */
  readonly last?: RefreshMessage
}

export function makeChangeStatus({ changeFeeds, deliveries }: ChangeDeps) {
  return async (): Promise<readonly ChangeFeedStatus[]> =>
    Promise.all(
      [...changeFeeds.values()].map(async ({ name, table }) => {
        const [open, [done]] = await Promise.all([deliveries.listOpen(name), deliveries.listDone(name, 1)])
        const last = done?.messages?.at(-1)
        return {
          feed: name,
          table: `${table.datasetId}.${table.tableId}`,
          open: open.map(({ object, phase, arrivedAt }) => ({ object, phase, arrivedAt })),
          ...(last && { last }),
        }
      }),
    )
}
