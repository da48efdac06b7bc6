/** BigQuery's jobs in the simulator: ids that are taken once, work that takes time, effects in one instant. */
import type { JobBody, JobReference } from '../../functions/plan/run-plan.ts'
import { isOfRows } from './row-queries.ts'
import type { Store } from './store.ts'
import { type Column, find, JobError, type Prepared, prepareSql, type Row, type Tables } from './tables.ts'
import { SimulatorError, type World } from './world.ts'

export interface Job {
  readonly body: JobBody
  state: 'RUNNING' | 'DONE'
  error?: { readonly reason: string; readonly message: string }
  rows?: readonly Row[]
  cancelled: boolean
}

interface Ref {
  readonly projectId: string
  readonly datasetId: string
  readonly tableId: string
}
/** The parts of a configuration that the planner writes. */
interface Query {
  readonly query: string
  readonly destinationTable?: Ref
  readonly writeDisposition?: string
  readonly createDisposition?: string
}
interface Load {
  readonly sourceUris: readonly string[]
  readonly destinationTable: Ref
  readonly writeDisposition: string
  readonly schema: { readonly fields: readonly { readonly name: string; readonly type: string }[] }
}
interface Copy {
  readonly sourceTable: Ref
  readonly destinationTable: Ref
  readonly writeDisposition: string
}

export const showRef = ({ projectId, datasetId, tableId }: Ref) => `${projectId}.${datasetId}.${tableId}`
const PASSING = [
  'backendError',
  'rateLimitExceeded',
  'quotaExceeded',
  'internalError',
  'jobRateLimitExceeded',
]

export class Jobs {
  readonly tables: Tables = new Map()
  readonly #jobs = new Map<string, Job>()
  readonly #world: World
  readonly #inbox: Store
  /** Runs whose deduplication left junk. */
  readonly junk = new Set<string>()
  /** Told after a job has ended well. */
  onDone: (job: Job) => void = () => {}

  constructor(world: World, inbox: Store) {
    this.#world = world
    this.#inbox = inbox
  }

  get all(): readonly Job[] {
    return [...this.#jobs.values()]
  }

  get({ projectId, jobId, location }: JobReference): Job | undefined {
    return this.#jobs.get(`${projectId}:${location}.${jobId}`)
  }

  /** `undefined` when the id is taken. */
  insert(body: JobBody): Job | undefined {
    if (this.get(body.jobReference)) return undefined
    const { projectId, jobId, location } = body.jobReference
    const job: Job = { body, state: 'RUNNING', cancelled: false }
    this.#jobs.set(`${projectId}:${location}.${jobId}`, job)
    const prepared = this.#attempt(() => this.#prepare(body))
    const doomed = this.#world.random.chance(this.#world.trouble.job)
    this.#world.after(this.#duration(), () => this.#end(job, prepared, doomed))
    return job
  }

  cancel(reference: JobReference): void {
    const job = this.get(reference)
    // Cancelling asks; a copy job can't be stopped at all.
    if (job && !job.body.configuration.copy && this.#world.random.chance(0.7)) job.cancelled = true
  }

  /** Somebody stops whatever runs. */
  cancelAny(): void {
    const running = this.all.filter(({ state }) => state === 'RUNNING')
    if (running.length > 0) this.#world.random.pick(running).cancelled = true
  }

  #duration(): number {
    const { random, trouble } = this.#world
    if (trouble.stall > 0 && random.chance(trouble.stall * 2)) return random.between(3, 75) * 60_000
    return random.between(300, 6_000)
  }

  #attempt<T>(act: () => T): T | JobError {
    try {
      return act()
    } catch (error) {
      if (error instanceof JobError) return error
      throw error
    }
  }

  #end(job: Job, prepared: Prepared | JobError, doomed: boolean): void {
    job.state = 'DONE'
    const error = this.#verdict(job, prepared, doomed)
    if (error) job.error = { reason: error.reason, message: error.message }
    this.#world.note(
      'bigquery',
      `${job.body.jobReference.jobId} ${error ? `failed: ${error.reason}` : 'done'}`,
    )
    if (!error) this.onDone(job)
  }

  #verdict(job: Job, prepared: Prepared | JobError, doomed: boolean): JobError | undefined {
    if (job.cancelled)
      return new JobError('stopped', 'Job execution was cancelled: User requested cancellation')
    if (prepared instanceof JobError) return prepared
    if (doomed) return new JobError(this.#world.random.pick(PASSING), 'try again later')
    const applied = this.#attempt(() => prepared.apply())
    if (applied instanceof JobError) return applied
    if (prepared.rows) job.rows = prepared.rows
    return undefined
  }

  #prepare({ configuration }: JobBody): Prepared {
    const { query, load, copy } = configuration as unknown as { query?: Query; load?: Load; copy?: Copy }
    if (copy) return this.#prepareCopy(copy)
    if (load) return this.#prepareLoad(load)
    if (!query) throw new SimulatorError('a job of no known kind')
    const prepared = prepareSql(query.query, this.tables)
    const { destinationTable: to, writeDisposition = '', createDisposition } = query
    if (!to) return prepared
    const { rows = [], columns = [] } = prepared
    // What a rollback writes back was published once: its number is not looked at again.
    const goesBack = /\nFROM `p\.staging\.sim__/.test(query.query)
    const deduplicates = configuration.labels.freshet_stage === 'deduplicate' && !goesBack
    const makesRows = deduplicates && isOfRows(query.query)
    const all = makesRows ? [...rows, ...this.#drawJunk(rows, configuration.labels)] : rows
    const made = { columns, rows: all, labels: {}, frozen: false }
    if (createDisposition === 'CREATE_IF_NEEDED')
      return { rows, apply: () => void this.tables.set(showRef(to), made) }
    return { apply: () => this.#write(showRef(to), all, columns, writeDisposition) }
  }

  /** So many rows that their number alone gives them away. */
  #drawJunk(rows: readonly Row[], labels: Readonly<Record<string, string>>): Row[] {
    if (!this.#world.random.chance(this.#world.trouble.junk)) return []
    this.junk.add(labels.freshet_run ?? '')
    return Array.from({ length: rows.length + 40 }, (_, at) => ({
      k: 1_000 + at,
      g: 'junk',
      d: '2026-01-01',
      v: 0,
      w: '',
      seq: 99,
    }))
  }

  #prepareCopy({ sourceTable, destinationTable, writeDisposition }: Copy): Prepared {
    const { rows, columns } = find(this.tables, showRef(sourceTable))
    return { apply: () => this.#write(showRef(destinationTable), rows, columns, writeDisposition) }
  }

  /** Each file is read at the beginning or at the end, as it comes: an object that is replaced meanwhile is read so or so. */
  #prepareLoad({ sourceUris, destinationTable, writeDisposition, schema }: Load): Prepared {
    const uris = sourceUris.flatMap(uri => this.#read(uri).trim().split('\n')).filter(uri => uri !== '')
    const early = uris.map(uri => (this.#world.random.chance(0.5) ? this.#read(uri) : undefined))
    return {
      apply: () => {
        const texts = uris.map((uri, at) => early[at] ?? this.#read(uri))
        const { columns } = find(this.tables, showRef(destinationTable))
        const rows = texts.flatMap(text => parseRows(text, schema.fields, columns))
        this.#write(showRef(destinationTable), rows, columns, writeDisposition)
      },
    }
  }

  #read(uri: string): string {
    const [, bucket = '', name = ''] = /^gs:\/\/([^/]+)\/(.+)$/.exec(uri) ?? []
    const found = this.#inbox.get(bucket, name)
    if (!found) throw new JobError('notFound', `Not found: URI ${uri}`)
    return found.text
  }

  #write(name: string, rows: readonly Row[], columns: readonly Column[], how: string): void {
    const table = find(this.tables, name)
    const shape = (of: readonly Column[]) => of.map(column => `${column.name} ${column.type}`).join()
    if (table.frozen) throw new JobError('invalid', `${name} is a snapshot`)
    if (shape(columns) !== shape(table.columns))
      throw new JobError('invalid', 'Provided Schema does not match')
    if (how === 'WRITE_EMPTY' && table.rows.length > 0) throw new JobError('duplicate', 'Already Exists')
    if (how !== 'WRITE_EMPTY' && how !== 'WRITE_APPEND' && how !== 'WRITE_TRUNCATE_DATA')
      throw new SimulatorError(how)
    const kept = how === 'WRITE_APPEND' ? table.rows : []
    this.tables.set(name, { ...table, rows: [...kept, ...rows] })
  }
}

function parseRows(
  text: string,
  fields: Load['schema']['fields'],
  columns: readonly Column[],
): Record<string, Row[string]>[] {
  const lines = text.split('\n').filter(line => line !== '')
  return lines.map((line, at) => {
    if (!line.startsWith('{'))
      throw new JobError('invalid', `Error while reading data, row ${at + 1}: no JSON`)
    const given: Record<string, unknown> = JSON.parse(line)
    const row: Record<string, Row[string]> = {}
    for (const { name, fallback = null } of columns) row[name] = fallback
    for (const { name, type } of fields) {
      const value = given[name] ?? null
      const fits = value === null || (type === 'INT64' ? Number.isInteger(value) : typeof value === 'string')
      if (!fits)
        throw new JobError('invalid', `Error while reading data, row ${at + 1}: ${name} is no ${type}`)
      row[name] = value as Row[string]
    }
    return row
  })
}
