/** One execution of a workflow: runs in the background, from start to result, failure or cancellation. */
import { Cancelled, type StackElement, WorkflowError } from './errors.ts'
import { Interpreter, type StepReport } from './interpreter.ts'
import { encodeJson, parseJson } from './json.ts'
import type { FunctionContext, Library } from './library.ts'
import type { Revision } from './state.ts'
import type { Value } from './values.ts'

export type ExecutionState = 'ACTIVE' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED'

export interface ExecutionFailure {
  readonly payload: string
  readonly context: string
  readonly stackTrace: { readonly elements: readonly Record<string, unknown>[] }
}

export interface ExecutionOptions {
  readonly name: string
  readonly revision: Revision
  /** JSON text. */
  readonly argument: string
  readonly labels: Readonly<Record<string, string>>
  readonly callLogLevel: string | undefined
  readonly library: Library
  readonly now: () => number
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>
  readonly environment: ReadonlyMap<string, string>
  readonly onStep: (report: StepReport) => void
  readonly onLog: FunctionContext['log']
}

export class Execution {
  readonly name: string
  readonly revision: Revision
  readonly argument: string
  readonly labels: Readonly<Record<string, string>>
  readonly callLogLevel: string | undefined
  readonly started: number
  ended: number | undefined
  state: ExecutionState = 'ACTIVE'
  outcome: { readonly result?: string; readonly error?: ExecutionFailure } | undefined
  /** Settles when the execution has ended, however it did. */
  readonly finished: Promise<void>
  readonly #abort = new AbortController()
  readonly #options: ExecutionOptions
  readonly #active: { routine: string; step: string }[] = []

  constructor(options: ExecutionOptions) {
    this.#options = options
    this.name = options.name
    this.revision = options.revision
    this.argument = options.argument
    this.labels = options.labels
    this.callLogLevel = options.callLogLevel
    this.started = options.now()
    this.finished = this.#run()
  }

  /** Steps that have started and not ended, outermost first. */
  get currentSteps(): readonly { routine: string; step: string }[] {
    return [...this.#active]
  }

  /** Stops at the next step, or in the middle of a wait. Says whether there was something to stop. */
  cancel(): boolean {
    if (this.state !== 'ACTIVE') return false
    this.#end('CANCELLED', undefined)
    this.#abort.abort()
    return true
  }

  async #run(): Promise<void> {
    // The caller gets an ACTIVE execution before its first step runs.
    await new Promise<void>(resolve => setImmediate(resolve))
    try {
      const interpreter = new Interpreter({
        program: this.revision.program,
        library: this.#options.library,
        context: this.#context(),
        onStep: report => this.#onStep(report),
      })
      const result = await interpreter.run(parseJson(this.argument))
      this.#end('SUCCEEDED', { result: encodeJson(result) })
    } catch (error) {
      if (!(error instanceof Cancelled)) this.#end('FAILED', { error: failureOf(error) })
    }
  }

  #end(state: ExecutionState, outcome: Execution['outcome']): void {
    if (this.state !== 'ACTIVE') return
    this.state = state
    this.outcome = outcome
    this.ended = this.#options.now()
  }

  #context(): FunctionContext {
    const { now, sleep, environment, onLog } = this.#options
    const { signal } = this.#abort
    return {
      now,
      environment: name => environment.get(name),
      log: onLog,
      signal,
      async sleep(seconds) {
        try {
          await sleep(seconds * 1000, signal)
        } catch (error) {
          if (signal.aborted) throw new Cancelled()
          throw error
        }
      },
    }
  }

  #onStep(report: StepReport): void {
    const { routine, step, state } = report
    if (state === 'started') this.#active.push({ routine, step })
    else {
      const at = this.#active.findLastIndex(each => each.routine === routine && each.step === step)
      if (at >= 0) this.#active.splice(at, 1)
    }
    this.#options.onStep(report)
  }
}

function elementResource({ step, routine, position }: StackElement): Record<string, unknown> {
  return { step, routine, position: { line: String(position.line), column: String(position.column) } }
}

/** `execution.error`; a payload that JSON cannot hold is shown by its message. */
export function failureOf(error: unknown): ExecutionFailure {
  if (!(error instanceof WorkflowError)) {
    const message = `SystemError: ${String(error)}`
    return {
      payload: JSON.stringify({ message, tags: ['SystemError'] }),
      context: message,
      stackTrace: { elements: [] },
    }
  }
  return {
    payload: encodePayload(error.payload, error.message),
    context: error.context,
    stackTrace: { elements: error.trace.map(elementResource) },
  }
}

function encodePayload(payload: Value, message: string): string {
  try {
    return encodeJson(payload)
  } catch {
    return JSON.stringify(message)
  }
}
