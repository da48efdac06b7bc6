/** Turns a change feed's file that was checked into the feed that the rest of Freshet knows. */
import { abilityOf } from '../column-type.ts'
import type { Column } from '../feed.ts'
import { parseFeedName } from '../names.ts'
import { identifier, seconds, sure, toColumn, toTable } from '../to-feed.ts'
import type { ChangeFeed, ChangeFormat, SequencePart } from './change-feed.ts'
import type { ChangeFeedFile } from './change-schema.ts'
import { parseObjectPattern } from './object-pattern.ts'

const MAX_CLUSTER = 4

function toPart(
  part: ChangeFeedFile['changes']['sequence'][number],
  columns: readonly Column[],
): SequencePart {
  if (typeof part !== 'string') {
    const { field, as, states = [] } = part
    return as === undefined ? { field, as: 'state', states } : { field, as }
  }
  const type = columns.find(({ name }) => name === part)?.type
  return { field: part, as: type === 'TIMESTAMP' ? 'timestamp' : 'integer' }
}

function toFormat({ format, csv }: ChangeFeedFile['source']): ChangeFormat {
  if (format === 'ndjson') return { kind: 'ndjson' }
  return { kind: 'csv', delimiter: csv?.delimiter ?? ',', nullText: csv?.null_text ?? '' }
}

/** The file has been through `changeFeedSchema` and `findChangeProblems`. */
export function toChangeFeed(file: ChangeFeedFile): ChangeFeed {
  const { source, changes, refresh } = file
  const columns = Object.entries(file.table.columns).map(toColumn)
  const key = file.model.key.map(identifier)
  // An apply finds the rows of a change by the key: docs.cloud.google.com/bigquery/docs/change-data-capture#best_practices
  const cluster = key.filter(name => {
    const type = columns.find(column => column.name === name)?.type
    return type !== undefined && abilityOf(type)?.cluster
  })
  return {
    delivers: 'changes',
    name: sure(parseFeedName(file.name), file.name),
    source: {
      path: parseObjectPattern(source.path),
      format: toFormat(source),
      ignore: source.ignore,
    },
    table: toTable(file.table, columns, cluster.slice(0, MAX_CLUSTER)),
    key,
    changes: {
      operation: changes.operation,
      upsert: changes.upsert,
      delete: changes.delete,
      sequence: changes.sequence.map(part => toPart(part, columns)),
    },
    refresh: {
      maxStalenessSeconds: seconds(refresh.max_staleness),
      announce: refresh.announce,
      withinSeconds: seconds(refresh.within),
    },
  }
}
