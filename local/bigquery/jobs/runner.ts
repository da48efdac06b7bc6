/** Runs jobs: takes each id once, runs the work in the background, and records its end together with its effect. */
import type { DuckDBConnection } from '@duckdb/node-api'
import { BigQueryError, toBigQueryError } from '../errors.ts'
import { compact, isPiledUp } from './compact.ts'
import type { JobEntry } from './job.ts'
import type { Deps, Executor, Outcome, Run } from './run.ts'

export interface NewJob extends Pick<JobEntry, 'id' | 'location' | 'kind' | 'configuration'> {
  readonly execute: Executor
}

export interface Runner {
  /** Durable when it answers. Throws `duplicate` for an id that was used before, whatever became of that job. */
  insert(job: NewJob): Promise<JobEntry>
  /** The job once it is done, or as it stands after `timeoutMs`. */
  wait(id: string, timeoutMs: number): Promise<JobEntry>
  get(id: string): JobEntry
  list(): readonly JobEntry[]
  /** Asks a running job to stop; it may still succeed. */
  cancel(id: string): JobEntry
  close(): Promise<void>
}

interface Running {
  readonly done: Promise<void>
  connection?: DuckDBConnection
  cancelled: boolean
}

function begin(deps: Deps, job: NewJob, running: Running, connection: DuckDBConnection) {
  const deferred: (() => unknown)[] = []
  const check = () => {
    if (running.cancelled)
      throw new BigQueryError('stopped', 'Job execution was cancelled: User requested cancellation')
  }
  const run: Run = {
    ...deps,
    jobId: job.id,
    connection,
    check,
    defer: release => void deferred.push(release),
    async lock(ids) {
      deferred.push(await deps.locks.hold(ids))
      check()
    },
  }
  const release = async () => {
    for (const undo of deferred.splice(0).reverse()) await undo()
  }
  return { run, release }
}

function doneWith(
  entry: JobEntry,
  ended: number,
  outcome: Outcome,
  more: Outcome['statistics'] = {},
): JobEntry {
  const { configuration, result, warnings } = outcome
  return {
    ...entry,
    state: 'DONE',
    ended,
    statistics: { totalSlotMs: String(ended - (entry.started ?? ended)), ...outcome.statistics, ...more },
    configuration: { ...entry.configuration, ...configuration },
    ...(result ? { result } : {}),
    ...(warnings?.length ? { errors: warnings } : {}),
  }
}

function failedWith(entry: JobEntry, ended: number, error: unknown): JobEntry {
  const known = toBigQueryError(error)
  const { proto } = known
  return {
    ...entry,
    state: 'DONE',
    ended,
    error: proto,
    errors: known.details.length > 0 ? known.details : [proto],
  }
}

export function makeRunner(deps: Deps): Runner {
  const { catalogue, clock, engine } = deps
  const running = new Map<string, Running>()

  let compactions = Promise.resolve()

  const finish = async (entry: JobEntry, outcome: Outcome) => {
    const written = await catalogue.transact(draft => {
      const more = outcome.apply?.(draft)
      draft.putJob(doneWith(entry, clock.now(), outcome, more))
      return [...draft.changes.tables.values()]
    })
    for (const table of written) {
      if (!table || !isPiledUp(table)) continue
      // Housekeeping, one table at a time: if it fails, the table stays as it is and the next write tries again.
      compactions = compactions.then(() => compact(deps, table)).catch(() => {})
    }
  }
  const work = async (job: NewJob, entry: JobEntry, self: Running): Promise<void> => {
    try {
      await engine.using(async connection => {
        self.connection = connection
        const { run, release } = begin(deps, job, self, connection)
        try {
          run.check()
          const outcome = await job.execute(run)
          run.check()
          await finish(entry, outcome)
        } finally {
          delete self.connection
          await release()
        }
      })
    } catch (error) {
      await catalogue.transact(draft => draft.putJob(failedWith(entry, clock.now(), error)))
    }
  }
  const get = (id: string) => {
    const entry = catalogue.jobs.get(id)
    if (!entry) throw new BigQueryError('notFound', `Not found: Job ${deps.project}:${deps.location}.${id}`)
    return entry
  }
  return {
    async insert(job) {
      const { execute: _, ...rest } = job
      const now = clock.now()
      const entry: JobEntry = { ...rest, state: 'RUNNING', created: now, started: now, statistics: {} }
      await catalogue.transact(draft => {
        if (catalogue.jobs.has(job.id)) {
          throw new BigQueryError(
            'duplicate',
            `Already Exists: Job ${deps.project}:${job.location}.${job.id}`,
          )
        }
        draft.putJob(entry)
      })
      const { promise, resolve } = Promise.withResolvers<void>()
      const self: Running = { done: promise, cancelled: false }
      running.set(job.id, self)
      work(job, entry, self).finally(() => {
        running.delete(job.id)
        resolve()
      })
      return entry
    },
    async wait(id, timeoutMs) {
      const self = running.get(id)
      if (self) {
        const { promise, resolve } = Promise.withResolvers<void>()
        const timer = setTimeout(resolve, timeoutMs)
        await Promise.race([self.done, promise])
        clearTimeout(timer)
      }
      return get(id)
    },
    get,
    // Background applies are another account's jobs: INFORMATION_SCHEMA.JOBS shows them, a list of one's own does not.
    list: () =>
      [...catalogue.jobs.values()].filter(job => job.kind !== 'apply').sort((a, b) => b.created - a.created),
    cancel(id) {
      const self = running.get(id)
      if (self) {
        self.cancelled = true
        self.connection?.interrupt()
      }
      return get(id)
    },
    async close() {
      for (const self of running.values()) {
        self.cancelled = true
        self.connection?.interrupt()
      }
      await Promise.all([...running.values()].map(self => self.done))
      await compactions
      await catalogue.close()
    },
  }
}

/** Jobs that a crash cut off: nothing of theirs took effect, and each says so. */
export async function stopCutOff({ catalogue, clock }: Deps): Promise<void> {
  const message = 'Job execution was stopped: the embedded BigQuery ended before the job did'
  const cut = [...catalogue.jobs.values()].filter(job => job.state !== 'DONE')
  await catalogue.transact(draft => {
    for (const job of cut) draft.putJob(failedWith(job, clock.now(), new BigQueryError('stopped', message)))
  })
}
