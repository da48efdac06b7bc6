/** BigQuery in memory for one small table (id, seq, v): it runs the jobs of a plan, each id once. */

import type { JobFacts, TableFacts, Warehouse } from '../../functions/gcp/ports.ts'
import type { Governance } from '../../functions/plan/governance.ts'
import type { JobBody, TableColumn } from '../../functions/plan/run-plan.ts'
import type { FakeObjects } from './fake-objects.ts'

export interface Row {
  readonly id: number | null
  readonly seq: number
  readonly v: string
}
interface Table {
  readonly rows: readonly Row[]
  readonly columns: readonly TableColumn[]
  readonly labels: Readonly<Record<string, string>>
}
interface Ref {
  readonly projectId: string
  readonly datasetId: string
  readonly tableId: string
}
export interface FakeWarehouse extends Warehouse {
  /** Runs a job unless its id is known, and answers how it ended, as the workflow would see it. */
  run(job: JobBody): JobFacts | Promise<JobFacts>
  rows(table: string): readonly Row[] | undefined
  /** What other writers do to a table. */
  replace(table: string, rows: readonly Row[]): void
  /** What people do to a table beside its rows. */
  govern(table: string, governance: Partial<Governance>): void
  readonly tables: Map<string, Table>
}

const NOTHING: JobFacts = { errors: [], bytesProcessed: 10, slotMs: 5, seconds: 1 }
const failed = (reason: string, message: string): JobFacts => ({
  ...NOTHING,
  error: { reason, message },
  errors: [{ reason, message }],
})
const nameOf = ({ projectId, datasetId, tableId }: Ref) => `${projectId}.${datasetId}.${tableId}`
const text = (value: unknown): string => String(value)

/** The newest row of each key, as the model `unique` has it: on a tie that of the later source. */
export function newestRows(...sources: readonly (readonly Row[])[]): Row[] {
  const kept = new Map<number | null, Row>()
  for (const rows of sources) {
    const before = new Set(kept.values())
    for (const row of rows) {
      const other = kept.get(row.id)
      const ties = other?.seq === row.seq && !before.has(other)
      if (!other || row.seq > other.seq || (row.seq === other.seq && (!ties || row.v > other.v)))
        kept.set(row.id, row)
    }
  }
  return [...kept.values()].toSorted((a, b) => (a.id ?? -1) - (b.id ?? -1))
}

/** What landed, and the rows of staging whose key it lacks. */
function newerOver([newer = [], older = []]: readonly (readonly Row[])[]): Row[] {
  const keys = new Set(newer.map(({ id }) => id))
  return [...newer, ...older.filter(({ id }) => !keys.has(id))].toSorted(
    (a, b) => (a.id ?? -1) - (b.id ?? -1),
  )
}

function inspect(query: string, rows: readonly Row[]): Record<string, string> {
  const snapshot = /'([^']*)' AS snapshot/.exec(query)?.[1] ?? ''
  if (query.includes('AS empty_columns')) return { snapshot, empty_columns: '' }
  const counts = Map.groupBy(rows, ({ id }) => id)
  return {
    snapshot,
    row_count: text(rows.length),
    key_count: text(counts.size),
    duplicate_keys: text([...counts.values()].filter(({ length }) => length > 1).length),
    null_key_rows: text(counts.get(null)?.length ?? 0),
    null_partition_rows: '0',
    outside_rows: '0',
  }
}

function describeDuplicates(rows: readonly Row[]): Record<string, string> {
  const groups = [...Map.groupBy(rows, ({ id }) => id).values()].filter(({ length }) => length > 1)
  const differing = groups.filter(group => new Set(group.map(row => JSON.stringify(row))).size > 1)
  const [first] = differing.length > 0 ? differing : groups
  return { differing: text(differing.length), sample: JSON.stringify({ id: first?.[0]?.id }) }
}

export function makeFakeWarehouse(objects: FakeObjects): FakeWarehouse {
  const tables = new Map<string, Table>()
  const jobs = new Map<string, JobFacts>()
  const governed = new Map<string, Partial<Governance>>()
  const results = new Map<string, Record<string, string>[]>()
  const read = (name: string): Table => {
    const table = tables.get(name)
    if (!table) throw new Error(`Not found: Table ${name}`)
    return table
  }

  function load({ sourceUris, destinationTable }: Record<string, unknown>): JobFacts {
    const [list = ''] = sourceUris as string[]
    const [, bucket = '', name = ''] = /^gs:\/\/([^/]+)\/(.*)$/.exec(list) ?? []
    const uris = objects.text(bucket, name)?.trimEnd().split('\n') ?? []
    const destination = destinationTable as Ref
    const lines = uris
      .filter(uri => uri !== '')
      .flatMap(uri => objects.text(bucket, uri.slice(`gs://${bucket}/`.length))?.split('\n') ?? [])
      .filter(line => line !== '')
    const bad = lines.find(line => !line.startsWith('{"id":'))
    if (bad !== undefined) return { ...failed('invalid', `Error while reading ${bad}`), destination }
    const table = read(nameOf(destination))
    const rows = lines.map((line): Row => JSON.parse(line))
    tables.set(nameOf(destination), { ...table, rows: [...table.rows, ...rows] })
    return { ...NOTHING, destination }
  }

  function copy({ sourceTable, destinationTable }: Record<string, unknown>): JobFacts {
    const [from, name] = [read(nameOf(sourceTable as Ref)), nameOf(destinationTable as Ref)]
    const to = read(name)
    tables.set(name, { ...to, rows: [...to.rows, ...from.rows] })
    return NOTHING
  }

  function define(sql: string): boolean {
    const [, verb, name = ''] =
      /^(CREATE TABLE IF NOT EXISTS|CREATE SNAPSHOT TABLE IF NOT EXISTS|CREATE OR REPLACE TABLE|DROP TABLE IF EXISTS) `([^`]+)`/.exec(
        sql,
      ) ?? []
    if (verb === undefined) return false
    if (verb.startsWith('DROP')) tables.delete(name)
    else if (!verb.includes('IF NOT EXISTS') || !tables.has(name)) {
      const from = /\nCLONE `([^`]+)`/.exec(sql)?.[1]
      const columns = [...sql.matchAll(/^ {2}`(\w+)` (\w+)/gm)].map(([, column, type]) => ({
        name: text(column),
        type: text(type),
      }))
      const labels = Object.fromEntries(
        [...sql.matchAll(/\('(freshet_\w+)', '([\w-]+)'\)/g)].map(([, label, value]) => [label, text(value)]),
      )
      tables.set(name, from === undefined ? { rows: [], columns, labels } : { ...read(from), labels })
    }
    return true
  }

  function query(id: string, { query: sql, destinationTable }: Record<string, unknown>): JobFacts {
    const statement = text(sql)
    if (define(statement)) return NOTHING
    const sources = [...statement.matchAll(/FROM `([^`]+)`/g)].map(([, name]) => read(text(name)).rows)
    const rows = statement.includes('LEFT JOIN') ? newerOver(sources) : sources.flat()
    if (destinationTable === undefined) results.set(id, [inspect(statement, rows)])
    else {
      const name = nameOf(destinationTable as Ref)
      const kept = statement.includes('QUALIFY')
        ? newestRows(...sources)
        : statement.includes('WHERE FALSE')
          ? []
          : rows
      tables.set(name, { ...read(name), rows: kept })
    }
    return NOTHING
  }

  async function readTable(ref: Ref): Promise<TableFacts | undefined> {
    const table = tables.get(nameOf(ref))
    const layout = { kind: 'TABLE', cluster: [] }
    return table && { rows: table.rows.length, columns: table.columns, labels: table.labels, layout }
  }

  return {
    tables,
    rows: name => tables.get(name)?.rows,
    replace: (name, rows) => tables.set(name, { ...read(name), rows }),
    run(job) {
      const { jobId } = job.jobReference
      const known = jobs.get(jobId)
      if (known) return known
      const { load: loads, copy: copies, query: queries } = job.configuration
      const facts = loads ? load(loads) : copies ? copy(copies) : query(jobId, queries ?? {})
      jobs.set(jobId, facts)
      return facts
    },
    readTable,
    async readGoverned(ref) {
      const table = await readTable(ref)
      const governance = { labels: table?.labels ?? {}, columns: [], foreignKeys: [], rowAccessPolicies: [] }
      return table && { ...table, governance: { ...governance, ...governed.get(nameOf(ref)) } }
    },
    govern: (name, governance) => void governed.set(name, governance),
    readLocation: async () => 'EU',
    readMaterializedViews: async () => [],
    readJob: async ({ jobId }) => jobs.get(jobId),
    readRows: async ({ jobId }) => results.get(jobId) ?? [],
    async runQuery({ configuration }) {
      const [, name = ''] = /FROM `([^`]+)`/.exec(text(configuration.query?.query)) ?? []
      return [describeDuplicates(read(name).rows)]
    },
  }
}
