/** A whole Freshet in memory: handlers over fakes, and the steps of workflows/refresh.yaml in TypeScript. */
import type { Feed } from '../../functions/feed/feed.ts'
import type { Warehouse } from '../../functions/gcp/ports.ts'
import { makeComplete } from '../../functions/handlers/complete.ts'
import type { Deps } from '../../functions/handlers/deps.ts'
import { makeFail } from '../../functions/handlers/fail.ts'
import { makeOnObject } from '../../functions/handlers/on-object.ts'
import { makePlan, type Turn } from '../../functions/handlers/plan.ts'
import { makeSweep } from '../../functions/handlers/sweep.ts'
import { makeVerify } from '../../functions/handlers/verify.ts'
import type { Envelope, RefreshMessage } from '../../functions/message.ts'
import type { StageName, Warehouse as WarehouseNames } from '../../functions/plan/run-plan.ts'
import { makeState } from '../../functions/state/state.ts'
import { type FakeObjects, type Gate, makeFakeObjects } from './fake-objects.ts'
import { type FakeWarehouse, makeFakeWarehouse } from './fake-warehouse.ts'

const NAMES = { projectId: 'p', location: 'EU', landing: 'landing', staging: 'staging', inbox: 'inbox' }

/** A warehouse that takes the jobs of a plan. */
export type RunsJobs = Warehouse & Pick<FakeWarehouse, 'run'>

export const START = Date.parse('2026-11-30T06:00:00Z')
const quiet = { info() {}, warn() {}, error() {}, child: () => quiet }

/** `gate` is asked before every read, write, job and message; what it throws is a crash. */
export function makeFakeCloud<Runs extends RunsJobs = FakeWarehouse>(
  feeds: readonly Feed[],
  gate: Gate = async () => {},
  makeRuns?: (objects: FakeObjects) => Runs,
  names: WarehouseNames = NAMES,
) {
  const objects = makeFakeObjects(gate)
  // Without `makeRuns` it is the fake one.
  const warehouse = (makeRuns?.(objects) ?? makeFakeWarehouse(objects)) as Runs
  const messages: RefreshMessage[] = []
  const wakeUps: string[] = []
  const known = new Map(feeds.map(feed => [String(feed.name), feed]))
  const clock = { now: START }
  const publish = async (message: RefreshMessage) => {
    await gate('write', 'topic')
    messages.push(message)
  }
  const now = () => clock.now
  const deps: Deps = {
    feeds: known,
    state: makeState(objects, 'state', now),
    objects,
    warehouse,
    workflows: {
      async startRefresh(feed) {
        await gate('write', 'workflow')
        wakeUps.push(feed)
      },
    },
    topic: { publish },
    names,
    now,
    log: quiet,
  }
  const handlers = {
    onObject: makeOnObject(deps),
    plan: makePlan(deps),
    verify: makeVerify(deps),
    complete: makeComplete(deps),
    fail: makeFail(deps),
    sweep: makeSweep(deps),
  }

  class JobFailed extends Error {
    readonly stage: StageName
    readonly job: object
    constructor(stage: StageName, job: object) {
      super('job failed')
      this.stage = stage
      this.job = job
    }
  }

  async function runStages(turn: Turn & { kind: 'run' }, names: readonly StageName[]) {
    const ran: object[] = []
    for (const { name, jobs } of turn.stages.filter(stage => names.includes(stage.name)))
      for (const job of jobs) {
        await gate('write', `job ${name}`)
        if ((await warehouse.run(job)).error) throw new JobFailed(name, job.jobReference)
        ran.push({ ...job.jobReference, stage: name })
      }
    return ran
  }
  const tell = async (envelopes: readonly Envelope[]) => {
    for (const { message } of envelopes) await publish(message)
  }

  /** Stages of one run up to what is to be told; `undefined` when the lease is lost. */
  async function reach(turn: Turn & { kind: 'run' }, body: { feed: string; holder: string; run: string }) {
    let todo = turn
    const jobs = await runStages(turn, ['load', 'inspect'])
    for (const what of ['landing', 'staging'] as const) {
      const verdict = await handlers.verify({ ...body, jobs, what })
      if (verdict.kind === 'lost') return undefined
      if (verdict.kind === 'stopped') {
        if (verdict.restore) await runStages(todo, ['restore'])
        return verdict.messages
      }
      if (what === 'landing') {
        todo = { ...turn, stages: verdict.stages }
        jobs.push(...(await runStages(todo, ['append', 'deduplicate'])))
      }
    }
    jobs.push(...(await runStages(todo, ['save', 'clone'])))
    const receipt = await handlers.complete({ ...body, jobs, announced: false })
    return receipt.kind === 'receipt' ? receipt.messages : undefined
  }

  async function refresh(turn: Turn & { kind: 'run' }, feed: string, holder: string): Promise<string> {
    const body = { feed, holder, run: turn.run }
    let told: readonly Envelope[] | undefined
    try {
      told = await reach(turn, body)
    } catch (error) {
      if (!(error instanceof JobFailed)) throw error
      const failure = await handlers.fail({ ...body, stage: error.stage, error: { job: error.job } })
      if (failure.kind === 'lost') return 'lost'
      told = failure.messages
      if (failure.kind === 'failed') {
        await tell(told)
        return 'failed'
      }
    }
    if (!told) return 'lost'
    await tell(told)
    await runStages(turn, ['announce'])
    const closed = await handlers.complete({ ...body, jobs: [], announced: true })
    return closed.kind
  }

  /** One execution of the workflow, to its end. */
  async function execute(feed: string, holder: string): Promise<string> {
    for (;;) {
      const turn = await handlers.plan({ feed, holder })
      if (turn.kind !== 'run') return turn.kind
      const ended = await refresh(turn, feed, holder)
      if (ended !== 'closed') return ended
    }
  }

  /** Writes an object into the inbox and delivers its event. */
  async function send(name: string, content: string | Buffer): Promise<void> {
    const { generation } = objects.put('inbox', name, content, new Date(clock.now).toISOString())
    await handlers.onObject({ bucket: 'inbox', name, generation })
  }
  /** As a deployment with another feed file would. */
  const redefine = (feed: Feed) => void known.set(feed.name, feed)
  return { deps, redefine, objects, warehouse, messages, wakeUps, clock, handlers, execute, send, runStages }
}
export type FakeCloud = ReturnType<typeof makeFakeCloud<FakeWarehouse>>
