/** What subscribers are told about a change file. */
import type { ChangeFeed } from '../feed/changes/change-feed.ts'
import { NO_ROWS, type RefreshMessage } from '../message.ts'
import { changeTargetOf } from '../plan/changes/change-table.ts'
import type { Delivery } from '../state/deliveries.ts'

/** Rows of the table before and after are not counted: changes of other files flow at the same time. */
export function makeChangeMessage(
  feed: ChangeFeed,
  projectId: string,
  now: number,
  delivery: Delivery,
  told: Pick<RefreshMessage, 'status' | 'reason'>,
): RefreshMessage {
  const { datasetId, tableId } = changeTargetOf(feed, { projectId })
  const { records, upserts, deletes, bytes } = delivery.counts
  return {
    version: 1,
    feed: feed.name,
    table: `${projectId}.${datasetId}.${tableId}`,
    snapshots: [delivery.object],
    run: delivery.id,
    strategy: 'changes',
    rows: { ...NO_ROWS, loaded: records, updated: upserts, deleted: deletes },
    partitions: { total: 0, changed: 0 },
    arrivedAt: delivery.arrivedAt,
    finishedAt: new Date(now).toISOString(),
    withinSeconds: Math.max(0, now - Date.parse(delivery.arrivedAt)) / 1_000,
    bytesProcessed: bytes,
    slotMs: 0,
    rollbackPoint: '',
    ...told,
  }
}
