/** What a statement can see: tables, views and INFORMATION_SCHEMA at one moment, with their segments kept while it runs. */
import type { Draft } from '../catalogue/draft.ts'
import { heldSegments, type TableEntry, type TableId } from '../catalogue/entry.ts'
import { duckColumnType, toColumns } from '../catalogue/field.ts'
import { bytesOf } from '../catalogue/relation.ts'
import { sqlCurrent } from '../changes/merged.ts'
import { unsupported } from '../errors.ts'
import type { Deps } from '../jobs/run.ts'
import { getTable, resolveName } from '../names.ts'
import {
  parseExpression,
  parseScript,
  type Scope,
  SqlError,
  type TableName,
  translateExpression,
  translateQuery,
} from '../sql/index.ts'
import { columnsOfView, sqlInformationSchema } from './information-schema.ts'

export interface QueryScope extends Scope {
  /** BigQuery's logical size of the tables read so far. */
  bytesRead(): number
  tablesRead(): readonly TableId[]
  /** Lets the segments go. */
  release(): void
}

const deepest = 16

export function makeScope(
  deps: Pick<Deps, 'catalogue' | 'project'>,
  draft: Draft,
  standard: string | undefined,
): QueryScope {
  const { catalogue, project } = deps
  const read = new Map<string, TableEntry>()
  const releases: (() => unknown)[] = []

  const find = (name: TableName): TableEntry => {
    const entry = getTable(project, draft, resolveName(project, name, standard))
    if (entry.requirePartitionFilter) throw unsupported('Reading a table that has require_partition_filter')
    return entry
  }
  const sqlView = (text: string, depth: number): string => {
    if (depth > deepest)
      throw new SqlError('invalidQuery', 'Views are nested too deeply or refer to themselves')
    const [statement] = parseScript(text)
    if (statement?.kind !== 'select') throw new SqlError('invalidQuery', 'A view must be one query')
    return `(${translateQuery(statement, at(depth + 1, undefined), []).sql})`
  }
  const sqlTable = (entry: TableEntry, depth: number): string => {
    if (entry.view !== undefined) return sqlView(entry.view, depth)
    const key = `${entry.dataset}.${entry.table}`
    if (!read.has(key)) releases.push(catalogue.pin(heldSegments(entry)))
    read.set(key, entry)
    return sqlCurrent(entry, draft)
  }
  const at = (depth: number, dataset: string | undefined): Scope => ({
    relation(name, asOf) {
      const view = sqlInformationSchema(deps, draft, name, dataset)
      if (view !== undefined) return view
      if (asOf !== undefined) throw unsupported('FOR SYSTEM_TIME AS OF')
      return sqlTable(find(withDataset(name, dataset)), depth)
    },
    defaults: name =>
      Object.fromEntries(
        find(withDataset(name, dataset)).schema.flatMap(field => {
          const text = field.defaultValueExpression
          if (text === undefined) return []
          const { sql } = translateExpression(parseExpression(text), text, at(depth, dataset))
          return [[field.name, `(${sql})::${duckColumnType(field)}`]]
        }),
      ),
    columns: name => columnsOfView(name) ?? toColumns(find(withDataset(name, dataset)).schema),
    now: () => draft.now,
  })
  return {
    ...at(0, standard),
    bytesRead: () => [...read.values()].reduce((sum, entry) => sum + bytesOf(entry, draft), 0),
    tablesRead: () => [...read.values()].map(({ dataset, table }) => ({ dataset, table })),
    release() {
      for (const release of releases.splice(0)) release()
    },
  }
}

function withDataset(name: TableName, dataset: string | undefined): TableName {
  return name.dataset === undefined && dataset !== undefined ? { ...name, dataset } : name
}
