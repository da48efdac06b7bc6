/** Runs one schedule, from its seed to a verdict. The same seed gives the same schedule, call by call. */
import { readFileSync } from 'node:fs'
import type { RefreshMessage } from '../../functions/message.ts'
import type { Program } from '../../local/workflows/program.ts'
import { makeConnectors } from './connectors.ts'
import { findTrouble } from './endings.ts'
import { parseRefresh, startExecution } from './executions.ts'
import { type Cloud, type HandlerName, invoke, STATE } from './functions.ts'
import { Jobs } from './jobs.ts'
import { Random } from './random.ts'
import { PATHS } from './records.ts'
import { Reference } from './reference.ts'
import {
  CALM,
  type Decisions,
  drawDeliveries,
  drawTrouble,
  END,
  QUIET,
  scheduleDeliveries,
  schedulePeople,
  scheduleSweeps,
  type TroubleName,
} from './schedule.ts'
import { drawSetting, makeFeed } from './sources.ts'
import { checkLosses, type Stewards, scheduleStewards, wouldLose } from './stewards.ts'
import { type Generation, Store } from './store.ts'
import { Actor, NO_TROUBLE, World } from './world.ts'

export interface Outcome {
  readonly seed: number
  /** What should never have happened; absent when all went well. */
  readonly failure?: string
  readonly log: readonly string[]
  readonly runs: number
}

export const readProgram = (change: (source: string) => string = source => source): Program =>
  parseRefresh(change(readFileSync(new URL('../../workflows/refresh.yaml', import.meta.url), 'utf8')))

type Plain = Record<string, unknown>

function makeCloud(world: World, random: Random, program: Program, messages: RefreshMessage[]) {
  const setting = drawSetting(random)
  const store = new Store(() => world.now)
  const jobs = new Jobs(world, store)
  const publish = (message: RefreshMessage) => {
    world.note('topic', `${message.status} ${message.snapshots} ${message.run} ${message.reason}`)
    messages.push(message)
  }
  let executions = 0
  const cloud: Cloud = { world, store, jobs, feed: makeFeed(setting), publish, startExecution: start }
  function start(): void {
    executions += 1
    const execution = new Actor(`execution-${executions}`)
    const fakes = new Map([
      ...makeConnectors(world, execution, jobs, message => publish(message as unknown as RefreshMessage)),
      ['http.post', ({ url, body }: Plain) => invoke(cloud, execution, url as HandlerName, body)] as const,
    ])
    world.after(world.latency(), () => startExecution(world, program, execution, fakes))
  }
  world.note('schedule', JSON.stringify({ ...setting, ...world.trouble }))
  return { cloud, setting }
}

/** The state as the log shows it: which objects a snapshot has, by their generations. */
function describe(generation: Generation | undefined): string {
  if (!generation) return 'removed'
  const { files, ...rest }: { files?: { generation: string }[]; last?: unknown } = JSON.parse(generation.text)
  delete rest.last
  const of = files ? `#${files.map(file => file.generation).join(' #')} ` : ''
  return `${of}${JSON.stringify(rest)}`
}

/** Looks at every change of the target and of the lease, in the moment in which it is made. */
function watch({ world, store, jobs }: Cloud, reference: Reference, stewards: Stewards): ReadonlySet<string> {
  const attached = new Set<string>()
  const guard = (check: () => void) => {
    try {
      check()
    } catch (error) {
      world.fail(error)
    }
  }
  let target = jobs.tables.get('p.serving.sim')
  jobs.onDone = () => {
    const now = jobs.tables.get('p.serving.sim')
    const published = now?.labels.freshet_run !== target?.labels.freshet_run
    if (now && (published || now.rows !== target?.rows)) guard(() => reference.onTarget(now))
    if (now?.replaced && published) guard(() => checkLosses(store, stewards, now))
    if (!now && target) world.fail('the target is gone')
    target = now
  }
  let open: string | undefined
  store.watch((bucket, name, generation) => {
    if (bucket === STATE && !name.startsWith(PATHS.runs))
      world.note('state', `${name} ${describe(generation)}`)
    if (bucket !== STATE || name !== PATHS.lease || !generation) return
    const { run }: { run?: string } = JSON.parse(generation.text)
    if (run !== undefined) attached.add(run)
    const before = open
    open = run
    if (before !== undefined && before !== run) guard(() => reference.onClose(before))
  })
  return attached
}

// Thousands of errors are meant to happen: where each was made is of no interest.
Error.stackTraceLimit = 0

/** `trouble`: the kind that is wanted, where the seed is not to choose. */
export async function simulate(seed: number, program: Program, trouble?: TroubleName): Promise<Outcome> {
  const random = new Random(seed)
  const world = new World(seed + 0x5eed, drawTrouble(random, trouble))
  const messages: RefreshMessage[] = []
  const { cloud, setting } = makeCloud(world, random, program, messages)
  const stewards: Stewards = { acts: [], lookedBefore: (world.trouble.stall > 0 ? 80 : 2) * 60_000 }
  const reference = new Reference(cloud.store, setting, {
    leftJunk: run => cloud.jobs.junk.has(run),
    wouldLose: run => wouldLose(cloud, stewards, run),
  })
  const decisions: Decisions = { done: [] }
  const attached = watch(cloud, reference, stewards)
  scheduleDeliveries(cloud, random, drawDeliveries(random, setting))
  schedulePeople(cloud, random, decisions)
  scheduleStewards(cloud, random, stewards)
  scheduleSweeps(cloud)
  await world.run(() => world.now >= CALM)
  world.trouble = NO_TROUBLE
  const { store, jobs } = cloud
  const look = () =>
    findTrouble({ setting, store, tables: jobs.tables, reference, messages, attached, decisions })
  // Nothing but the next sweep is ahead: either that is the end, or something is stuck and gets until END.
  const settled = () => world.ahead <= 1 && look().length === 0
  await world.run(() => world.now >= END || (world.now >= QUIET && settled()))
  const found = world.failure ? [world.failure.message] : look()
  const failure = found.length > 0 ? { failure: found.join('\n') } : {}
  return { seed, log: world.log, runs: reference.closed.size, ...failure }
}
