/** The deployed functions in the simulator: the real handlers, one actor for each invocation, over ports that fail. */
import type { Feed } from '../../functions/feed/feed.ts'
import type { TableRef } from '../../functions/feed/names.ts'
import type { JobFacts, Log, Warehouse } from '../../functions/gcp/ports.ts'
import { makeComplete } from '../../functions/handlers/complete.ts'
import type { Deps } from '../../functions/handlers/deps.ts'
import { makeFail } from '../../functions/handlers/fail.ts'
import { makeOnObject } from '../../functions/handlers/on-object.ts'
import { makePlan } from '../../functions/handlers/plan.ts'
import { makeEvent, makeHttp } from '../../functions/handlers/serve.ts'
import { makeSweep } from '../../functions/handlers/sweep.ts'
import { makeVerify } from '../../functions/handlers/verify.ts'
import type { RefreshMessage } from '../../functions/message.ts'
import type { JobReference } from '../../functions/plan/run-plan.ts'
import { makeState } from '../../functions/state/state.ts'
import { HTTP_FAILURES, httpError } from './connectors.ts'
import { type Jobs, showRef } from './jobs.ts'
import { INBOX } from './sources.ts'
import { makeObjects, type Store } from './store.ts'
import type { Cell } from './tables.ts'
import { Actor, type Failures, type World } from './world.ts'

export const STATE = 'sim-state'
const NAMES = { projectId: 'p', location: 'EU', landing: 'landing', staging: 'staging', inbox: INBOX }
/** A request to a function ends after ten minutes for its caller; the function itself may go on. */
const REQUEST_MS = 600_000

const error = (code: number) => () => Object.assign(new Error(`google answered ${code}`), { code })
const FAILURES: Failures = { refused: [error(429), error(503), error(500)], lost: [error(503), error(500)] }
const quiet: Log = { info() {}, warn() {}, error() {}, child: () => quiet }

export interface Cloud {
  readonly world: World
  readonly store: Store
  readonly jobs: Jobs
  readonly feed: Feed
  readonly startExecution: () => void
  readonly publish: (message: RefreshMessage) => void
}

function makeWarehouse({ world, jobs, feed }: Cloud, actor: Actor): Warehouse {
  const call = <T>(what: string, act: () => T) => world.call(actor, what, FAILURES, act)
  const layout = { kind: 'TABLE', partition: feed.table.partition, cluster: feed.table.cluster }
  const facts = (table: TableRef) => {
    const found = jobs.tables.get(showRef(table))
    const { rows = [], columns = [], labels = {} } = found ?? {}
    return found && { rows: rows.length, columns, labels, layout, tags: found.tags ?? {} }
  }
  const readRows = (reference: JobReference) =>
    call(`rows ${reference.jobId}`, () => {
      const job = jobs.get(reference)
      if (job?.state !== 'DONE' || job.error) throw error(404)()
      // A statement that makes a table has none.
      const rows = job.rows ?? []
      const show = (value: Cell) => (value === null ? null : String(value))
      return rows.map(row =>
        Object.fromEntries(Object.entries(row).map(([name, value]) => [name, show(value)])),
      )
    })
  return {
    readTable: table => call(`table ${showRef(table)}`, () => facts(table)),
    readGoverned: table =>
      call(`governed ${showRef(table)}`, () => {
        const found = facts(table)
        const columns =
          found?.columns.map(({ name }) => ({
            name,
            policyTags: [found.tags[name] ?? []].flat(),
          })) ?? []
        const governance = { labels: found?.labels ?? {}, columns, foreignKeys: [], rowAccessPolicies: [] }
        return found && { ...found, governance }
      }),
    readLocation: dataset => call(`dataset ${dataset.datasetId}`, () => NAMES.location),
    readMaterializedViews: dataset => call(`views of ${dataset.datasetId}`, () => []),
    readJob: reference =>
      call(`job ${reference.jobId}`, (): JobFacts | undefined => {
        const job = jobs.get(reference)
        if (!job) return undefined
        const to = job.body.configuration.load?.destinationTable as TableRef | undefined
        return {
          ...(job.error && { error: job.error }),
          errors: job.error ? [job.error] : [],
          ...(to && { destination: to }),
          bytesProcessed: 1,
          seconds: 1,
          slotMs: 1,
        }
      }),
    readRows,
    async runQuery(body) {
      await call(`insert ${body.jobReference.jobId}`, () => void jobs.insert(body))
      while (jobs.get(body.jobReference)?.state !== 'DONE') await world.sleep(actor, 500)
      return readRows(body.jobReference)
    },
  }
}

/** What an invocation is given: every port belongs to its actor, and dies with it. */
export function makeDeps(cloud: Cloud, actor: Actor): Deps {
  const { world, store, feed, startExecution, publish } = cloud
  const objects = makeObjects(world, actor, store)
  const now = () => world.now
  return {
    feeds: new Map([[feed.name, feed]]),
    state: makeState(objects, STATE, now),
    objects,
    warehouse: makeWarehouse(cloud, actor),
    workflows: {
      startRefresh: () => world.call(actor, 'start the workflow', FAILURES, startExecution),
    },
    topic: { publish: message => world.call(actor, 'publish', FAILURES, () => publish(message)) },
    names: NAMES,
    now,
    log: quiet,
  }
}

const HANDLERS = {
  plan: makePlan,
  verify: makeVerify,
  complete: makeComplete,
  fail: makeFail,
  sweep: makeSweep,
}
export type HandlerName = keyof typeof HANDLERS

/** Copies as JSON does, as everything between workflow and function is. */
const copy = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null))

/** `http.post` to a function: it may not arrive, its instance may die, its answer may come too late or never. */
export async function invoke(
  cloud: Cloud,
  caller: Actor,
  name: HandlerName,
  body: unknown,
): Promise<unknown> {
  const { world } = cloud
  const lost = world.random.chance(world.trouble.lost)
  await world.call(
    caller,
    `post ${name}`,
    { refused: HTTP_FAILURES.refused, lost: HTTP_FAILURES.refused },
    () => {},
  )
  const instance = new Actor(`${caller.name}/${name}`)
  const handler = makeHttp(name, quiet, HANDLERS[name](makeDeps(cloud, instance)))
  return new Promise((resolve, reject) => {
    const answer = (settle: () => void) => world.after(world.latency(), () => caller.alive && settle())
    const die = world.random.pick([httpError(500), httpError(503), ...HTTP_FAILURES.lost.slice(-2)])
    instance.onDeath(() => answer(() => reject(die())))
    world.after(REQUEST_MS, () => caller.alive && reject(HTTP_FAILURES.lost.at(-1)?.()))
    const respond = (code: number, value: unknown) => {
      if (lost) world.note(instance.name, 'the answer is lost')
      if (lost) return answer(() => reject(world.random.pick(HTTP_FAILURES.lost)()))
      world.note(instance.name, `${code} ${summary(value)}`)
      answer(() =>
        code < 400 ? resolve({ code, headers: {}, body: copy(value) }) : reject(httpError(code, value)()),
      )
    }
    const reply = { status: (code: number) => ({ json: (value: unknown) => respond(code, value) }) }
    void handler({ body: copy(body) }, reply)
  })
}

const summary = (value: unknown) => {
  const {
    stages: _,
    messages,
    ...rest
  } = (value ?? {}) as { stages?: unknown; messages?: { message: RefreshMessage }[] }
  const told = messages?.map(({ message }) => `${message.status} ${message.snapshots}`)
  return JSON.stringify({ ...rest, ...(told && { told }) })
}

/** A finalize event, delivered at least once: what is thrown back, or dies, comes again. */
export function deliver(cloud: Cloud, data: { bucket: string; name: string; generation: string }): void {
  const { world } = cloud
  const instance = new Actor(`event ${data.name.split('/').at(-1)}`)
  const again = () => world.after(world.random.between(5_000, 90_000), () => deliver(cloud, data))
  instance.onDeath(again)
  makeEvent('on-object', quiet, makeOnObject(makeDeps(cloud, instance)))({ data }).catch(again)
}

/** The scheduler's request: nobody repeats it, the next one comes anyway. */
export function sweep(cloud: Cloud): void {
  const instance = new Actor('sweep')
  makeSweep(makeDeps(cloud, instance))().catch(() => {})
}
