/** The simulated world: its own clock, a queue of what happens next, and the trouble that calls run into. */
import { setImmediate } from 'node:timers/promises'
import { Random } from './random.ts'

/** Whoever makes calls: an execution, an invocation of a function, a person. What is dead never goes on. */
export class Actor {
  readonly name: string
  #alive = true
  readonly #onDeath: (() => void)[] = []

  constructor(name: string) {
    this.name = name
  }
  get alive(): boolean {
    return this.#alive
  }
  kill(): void {
    if (!this.#alive) return
    this.#alive = false
    for (const tell of this.#onDeath) tell()
  }
  onDeath(tell: () => void): void {
    this.#onDeath.push(tell)
  }
}

/** Shares of calls that go wrong, drawn for each schedule. */
export interface Trouble {
  /** Not done, with an error. */
  readonly refused: number
  /** Done, and the answer is lost. */
  readonly lost: number
  /** The caller dies, before or after. */
  readonly crash: number
  /** A call takes many minutes. */
  readonly stall: number
  /** A job ends with an error that passes. */
  readonly job: number
  /** A deduplication leaves rows that nobody sent, as a fault of the engine or a stranger's write would. */
  readonly junk: number
  /** An event that never comes. */
  readonly unheard: number
}
export const NO_TROUBLE: Trouble = { refused: 0, lost: 0, crash: 0, stall: 0, job: 0, junk: 0, unheard: 0 }

/** What a call fails with. A draw is made among them. */
export interface Failures {
  readonly refused: readonly (() => Error)[]
  readonly lost: readonly (() => Error)[]
}

interface Happening {
  readonly at: number
  readonly order: number
  readonly run: () => void
}

/** The simulator itself is at fault, or is asked for what it does not know: no retry may hide it. */
export class SimulatorError extends Error {}

const MINUTE = 60_000
export const START = Date.UTC(2026, 0, 5, 6)

export class World {
  readonly random: Random
  readonly log: string[] = []
  now = START
  trouble: Trouble
  /** The first thing that should never have happened. */
  failure: Error | undefined
  readonly #queue: Happening[] = []

  constructor(seed: number, trouble: Trouble) {
    this.random = new Random(seed)
    this.trouble = trouble
  }

  fail(why: unknown): void {
    this.failure ??= why instanceof Error ? why : new Error(String(why))
    this.note('FAILED', this.failure.message)
  }

  note(who: string, what: string): void {
    const seconds = ((this.now - START) / 1_000).toFixed(3).padStart(10)
    this.log.push(`${seconds}  ${who.padEnd(18)} ${what}`)
  }

  /** Ties are broken by chance, so that whatever may come first does so in some schedule. */
  after(milliseconds: number, run: () => void): void {
    const entry = { at: this.now + Math.max(0, milliseconds), order: this.random.next(), run }
    const after = (other: Happening) =>
      other.at < entry.at || (other.at === entry.at && other.order <= entry.order)
    let low = 0
    let high = this.#queue.length
    // The queue is sorted with what comes next at its end.
    while (low < high) {
      const middle = (low + high) >> 1
      const other = this.#queue[middle]
      if (other && after(other)) high = middle
      else low = middle + 1
    }
    this.#queue.splice(low, 0, entry)
  }

  /** How much is still to happen. */
  get ahead(): number {
    return this.#queue.length
  }

  /** Lets everything happen until `until` says so or nothing is left. */
  async run(until: () => boolean): Promise<void> {
    while (!this.failure && !until()) {
      const next = this.#queue.pop()
      if (!next) return
      this.now = Math.max(this.now, next.at)
      next.run()
      // Whoever was woken goes on to its next call; none of them waits for anything but this queue.
      await setImmediate()
    }
  }

  latency(): number {
    const { random, trouble } = this
    if (trouble.stall > 0 && random.chance(trouble.stall)) return random.between(4, 35) * MINUTE
    return random.chance(0.1) ? random.between(200, 8_000) : random.between(1, 60)
  }

  sleep(actor: Actor, milliseconds: number): Promise<void> {
    return new Promise(resolve => {
      this.after(milliseconds, () => actor.alive && resolve())
    })
  }

  #fate() {
    const { refused, lost, crash } = this.trouble
    const fine = 1 - refused - lost - crash
    return this.random.weighted({ fine, refused, lost, crashBefore: crash / 2, crashAfter: crash / 2 })
  }

  /** One call over the network: a request that may not arrive, something done in one instant, an answer that may not come. */
  call<T>(actor: Actor, what: string, failures: Failures, act: () => T): Promise<T> {
    const fate = this.#fate()
    const fail = (from: readonly (() => Error)[]) => this.random.pick(from)()
    return new Promise((resolve, reject) => {
      this.after(this.latency(), () => {
        // A request that was on its way when its sender died may still arrive.
        if (!actor.alive && this.random.chance(0.5)) return
        if (fate !== 'fine') this.note(actor.name, `${what}: ${fate}`)
        if (fate === 'crashBefore') return actor.kill()
        const answer = fate === 'refused' ? { error: fail(failures.refused) } : attempt(act)
        if ('error' in answer && answer.error instanceof SimulatorError) return this.fail(answer.error)
        if (fate === 'crashAfter') return actor.kill()
        const told = fate === 'lost' && !('error' in answer) ? { error: fail(failures.lost) } : answer
        this.after(this.latency(), () => {
          if (!actor.alive) return
          if ('error' in told) reject(told.error)
          else resolve(told.value)
        })
      })
    })
  }
}

function attempt<T>(act: () => T): { readonly value: T } | { readonly error: unknown } {
  try {
    return { value: act() }
  } catch (error) {
    return { error }
  }
}
