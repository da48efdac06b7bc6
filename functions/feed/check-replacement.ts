/** What does not go with replacing whole partitions, or with appending alone. */
import type { Finding } from './finding.ts'
import type { AggregateFile, FeedFile, UniqueFile } from './schema.ts'

/** Where a partition is replaced one has to know which of two snapshots is the newer. */
export function* checkReplacement(
  { table, refresh }: FeedFile,
  model: Exclude<FeedFile['model'], AggregateFile>,
): Generator<Finding> {
  if (!model.replace_partitions) return
  const path = ['model', 'replace_partitions']
  const by = table.partition?.by
  if (by === undefined)
    yield { path, message: 'replaces partitions, and the table has none', hint: 'Add table.partition.' }
  if (typeof model.sequence !== 'object' || Array.isArray(model.sequence))
    yield {
      path,
      message: 'needs the snapshot id in a column: a late snapshot must not replace newer rows',
      hint: 'Add sequence: { from: snapshot, as: snapshot_id }.',
    }
  if (refresh.strategy === 'changed-partitions')
    yield {
      path,
      message: 'does not go with refresh.strategy: changed-partitions',
      hint: 'Take that out: only the partitions that a snapshot covers are written anyway.',
    }
  if (model.kind === 'unique') yield* checkKeyed(model, by)
}

/** What of a key can't be looked at partition by partition. */
function* checkKeyed(model: UniqueFile, by: string | undefined): Generator<Finding> {
  const path = ['model', 'replace_partitions']
  if (by !== undefined && !model.key.includes(by))
    yield {
      path,
      message: `needs the partition column in the key, and ${by} is not part of it`,
      hint: 'A key could stand in two partitions; add the column to the key.',
    }
  if (model.missing_rows === 'delete')
    yield {
      path,
      message: 'does not go with missing_rows: delete',
      hint: 'Take one of them out: delete mirrors the newest snapshot as a whole.',
    }
  if (model.delete_when !== undefined)
    yield {
      path,
      message: 'does not go with delete_when',
      hint: 'Leave deleted rows out of the files: a partition becomes what the snapshot has of it.',
    }
}

/** Nothing is the same twice where rows are only appended. */
export function* checkAppended({ model, refresh }: FeedFile): Generator<Finding> {
  if (model.kind === 'duplicate' && refresh.strategy === 'changed-partitions' && !model.replace_partitions)
    yield {
      path: ['refresh', 'strategy'],
      message: 'compares partitions, and model duplicate only appends',
      hint: 'Take it out; appending reads and writes nothing of the table.',
    }
}
