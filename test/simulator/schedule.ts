/** What happens in a schedule from outside: files arrive, events come twice, people decide, somebody stops jobs. */
import { makeApprove, makeReject } from '../../functions/operations/decide-held.ts'
import { makeRollback } from '../../functions/operations/rollback.ts'
import { type Cloud, deliver, makeDeps, sweep } from './functions.ts'
import type { Random } from './random.ts'
import { listSettled } from './records.ts'
import { type Delivery, drawDelivery, FEED, INBOX, type Setting } from './sources.ts'
import { Actor, START, type Trouble } from './world.ts'

const MINUTE = 60_000
/** From here on nothing new comes, and nothing goes wrong any more. */
export const CALM = START + 180 * MINUTE
/** Whatever goes round in circles has shown it by then. */
export const QUIET = CALM + 90 * MINUTE
/** By then the dust has settled. */
export const END = CALM + 480 * MINUTE
const SWEEP_EVERY = 10 * MINUTE

const TROUBLES = {
  none: { refused: 0, lost: 0, crash: 0, stall: 0, job: 0, junk: 0, unheard: 0 },
  slow: { refused: 0.005, lost: 0.01, crash: 0, stall: 0.04, job: 0.02, junk: 0.02, unheard: 0.02 },
  light: { refused: 0.02, lost: 0.02, crash: 0.003, stall: 0.004, job: 0.04, junk: 0, unheard: 0.05 },
  crashes: { refused: 0.01, lost: 0.02, crash: 0.03, stall: 0.01, job: 0.02, junk: 0.08, unheard: 0.05 },
  outage: { refused: 0.02, lost: 0.01, crash: 0, stall: 0.002, job: 0.7, junk: 0, unheard: 0.1 },
  heavy: { refused: 0.06, lost: 0.06, crash: 0.012, stall: 0.02, job: 0.15, junk: 0.03, unheard: 0.2 },
} as const satisfies Record<string, Trouble>
export type TroubleName = keyof typeof TROUBLES

/** A schedule has one kind of trouble all through; `name` asks for one. */
export function drawTrouble(random: Random, name?: TroubleName): Trouble {
  const drawn = random.weighted({ none: 1, slow: 3, light: 2, crashes: 3, outage: 1, heavy: 2 })
  return TROUBLES[name ?? drawn]
}

/** What people asked for and were told that it was done. */
export interface Decisions {
  readonly done: {
    readonly what: 'approve' | 'reject' | 'rollback'
    readonly snapshot: string
    readonly fingerprint: string
    readonly at: number
    /** Of a rollback: the run that it goes back to, and when it was asked for. */
    readonly to?: string
    readonly askedAt?: string
  }[]
}

/** The deliveries of a schedule, in the order in which they begin: mostly that of their ids, some sent again. */
export function drawDeliveries(random: Random, setting: Setting): Delivery[] {
  const ids = Array.from({ length: random.between(2, 5) }, (_, at) => String(8 + at * 2))
  const ordered = random.chance(0.4) ? random.shuffle(ids) : ids
  const deliveries: Delivery[] = []
  for (const id of ordered) {
    const delivery = drawDelivery(random, setting, id)
    deliveries.push(delivery)
    if (random.chance(0.15))
      deliveries.push(random.chance(0.5) ? delivery : drawDelivery(random, setting, id))
  }
  return deliveries
}

/** An event may come late, may come again, hours after, and may never come. */
function tell(cloud: Cloud, name: string, generation: string): void {
  const { world } = cloud
  if (world.random.chance(world.trouble.unheard)) {
    world.note('event', `of ${name} is lost`)
    return
  }
  const copies = world.random.weighted({ one: 80, two: 15, three: 5 })
  for (let copy = 0; copy < { one: 1, two: 2, three: 3 }[copies]; copy += 1) {
    const longest = copy === 0 ? 20_000 : (CALM - world.now) * 0.9
    world.after(world.random.between(50, Math.max(100, longest)), () =>
      deliver(cloud, { bucket: INBOX, name, generation }),
    )
  }
}

export function scheduleDeliveries(cloud: Cloud, random: Random, deliveries: readonly Delivery[]): void {
  const { world, store } = cloud
  let at = 0
  for (const { uploads } of deliveries) {
    at +=
      random.weighted({ close: 1, apart: 1 }) === 'close'
        ? random.between(0, MINUTE)
        : random.between(1, 45) * MINUTE
    let later = Math.min(at, 165 * MINUTE)
    for (const { name, text } of uploads) {
      later += random.chance(0.2) ? random.between(0, 10) * MINUTE : random.between(0, 2_000)
      world.after(Math.min(later, 178 * MINUTE), () => {
        const { generation } = store.put(INBOX, name, text)
        world.note('source', `${name} #${generation}`)
        tell(cloud, name, generation)
      })
    }
  }
}

type Operation = (deps: ReturnType<typeof makeDeps>) => Promise<Omit<Decisions['done'][number], 'at'>>

function chooseOperation({ world, store }: Cloud): Operation | undefined {
  const held = listSettled(store).filter(({ outcome }) => outcome === 'held')
  const { random } = world
  if (held.length === 0 || random.chance(0.15)) {
    if (random.chance(0.4)) return undefined
    const snapshot = random.chance(0.5) ? undefined : random.pick(['8', '10', '12'])
    return async deps => {
      const { to, newest, askedAt } = await makeRollback(deps)(FEED, snapshot)
      return { what: 'rollback', snapshot: newest, fingerprint: '', to, askedAt }
    }
  }
  const { snapshot, fingerprint } = random.pick(held)
  const what = random.chance(0.75) ? 'approve' : 'reject'
  return async deps => {
    await (what === 'approve' ? makeApprove : makeReject)(deps)(FEED, snapshot)
    return { what, snapshot, fingerprint }
  }
}

/** A person looks, decides, and perhaps decides once more right away, as people do with a button. */
export function schedulePeople(cloud: Cloud, random: Random, decisions: Decisions): void {
  const { world } = cloud
  const act = (operation: Operation | undefined) => {
    if (!operation || world.now > CALM) return
    const person = new Actor('person')
    operation(makeDeps(cloud, person)).then(
      done => {
        world.note('person', `${JSON.stringify(done)}`)
        decisions.done.push({ ...done, at: world.now })
      },
      error => world.note('person', `was told: ${error}`),
    )
  }
  for (let count = random.between(0, 4); count > 0; count -= 1) {
    world.after(random.between(5, 175) * MINUTE, () => {
      const first = chooseOperation(cloud)
      act(first)
      if (world.random.chance(0.3))
        world.after(world.random.between(0, 60_000), () =>
          act(world.random.chance(0.5) ? first : chooseOperation(cloud)),
        )
    })
  }
  for (let count = random.between(0, 2); count > 0; count -= 1)
    world.after(random.between(1, 175) * MINUTE, () => cloud.jobs.cancelAny())
}

export function scheduleSweeps(cloud: Cloud): void {
  const { world } = cloud
  const next = () => {
    sweep(cloud)
    if (world.now < END) world.after(SWEEP_EVERY, next)
  }
  world.after(SWEEP_EVERY, next)
}
