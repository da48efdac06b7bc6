/** Runs a workflow in the interpreter with scripted answers, and keeps a trace of everything that it called. */

import { makeConnectors } from '../../local/workflows/connectors/index.ts'
import { type ErrorTag, taggedError, WorkflowError } from '../../local/workflows/errors.ts'
import { Interpreter } from '../../local/workflows/interpreter.ts'
import { plainOf, valueOfPlain } from '../../local/workflows/json.ts'
import type { Args, Library, LibraryFunction } from '../../local/workflows/library.ts'
import { parseWorkflow } from '../../local/workflows/parse.ts'
import { STANDARD_LIBRARY } from '../../local/workflows/stdlib/index.ts'
import type { Value } from '../../local/workflows/values.ts'

/**
 * Answers one function, such as `http.post` or `googleapis.bigquery.v2.jobs.insert`, in place of the real one. Gets
 * the arguments as plain JSON and the number of the call to this function, from 0. Returns plain JSON, or throws what
 * `httpError`, `operationError` or `raisedError` makes.
 */
export type Fake = (args: Record<string, unknown>, call: number) => unknown
export type Fakes = Readonly<Record<string, Fake>>

export interface WorkflowRun {
  /** What the workflow returned; `undefined` when it failed. */
  readonly result?: unknown
  /** What it failed with: the error map (or raised value) and the text with the steps it came from. */
  readonly error?: { readonly payload: unknown; readonly context: string }
  /** Blocking calls in order, sys.log left out. */
  readonly trace: readonly { readonly call: string; readonly args: Record<string, unknown> }[]
  /** `routine/step` as each began. */
  readonly steps: readonly string[]
  /** Seconds of every wait: sys.sleep and retries. No time passes. */
  readonly slept: readonly number[]
  readonly logs: readonly { readonly severity: string; readonly data: unknown }[]
}

export const FAKE_START = Date.UTC(2026, 0, 1)

const NOWHERE = 'http://127.0.0.1:9'
const FUNCTIONS: Library = new Map([
  ...STANDARD_LIBRARY,
  ...makeConnectors({ bigquery: NOWHERE, storage: NOWHERE, pubsub: NOWHERE }),
])

/** An HttpError as http.* and connectors raise it. */
export function httpError(code: number, body: unknown = null): WorkflowError {
  const fields = { code: BigInt(code), headers: new Map(), body: valueOfPlain(body) }
  return taggedError('HttpError', `HTTP server responded with error code ${code}`, fields)
}

/** The error of a connector whose job ended with `status.errorResult`. */
export function operationError(job: unknown, message = 'the job failed'): WorkflowError {
  return taggedError('OperationError', message, { operation: valueOfPlain(job) })
}

/** An error with one of Workflows' tags, such as TimeoutError. */
export function raisedError(tag: ErrorTag, message: string): WorkflowError {
  return taggedError(tag, `${tag}: ${message}`)
}

function plainArgs(args: Args): Record<string, unknown> {
  return Object.fromEntries([...args.values].map(([key, value]) => [key, plainOf(value)]))
}

/**
 * Runs `source` (YAML) with `argument` (plain JSON). Blocking functions without a fake fail the test, except sys.sleep
 * and sys.log; all other functions are the real ones unless faked. `environment` is what sys.get_env sees.
 */
export async function runWorkflow(
  source: string,
  argument: unknown = null,
  fakes: Fakes = {},
  environment: Readonly<Record<string, string>> = {},
): Promise<WorkflowRun> {
  const program = parseWorkflow(source, FUNCTIONS)
  const trace: { call: string; args: Record<string, unknown> }[] = []
  const steps: string[] = []
  const slept: number[] = []
  const logs: { severity: string; data: unknown }[] = []
  const missing = new Set<string>()
  const record = (name: string, real: LibraryFunction): LibraryFunction => {
    const fake = fakes[name]
    let calls = 0
    return {
      ...real,
      async call(args, context): Promise<Value> {
        if (name !== 'sys.log') trace.push({ call: name, args: plainArgs(args) })
        if (fake) return valueOfPlain(await fake(plainArgs(args), calls++))
        if (name === 'sys.sleep' || name === 'sys.sleep_until' || name === 'sys.log')
          return real.call(args, context)
        missing.add(name)
        throw new Error(`the test has no fake for ${name}`)
      },
    }
  }
  const library: Library = new Map(
    [...FUNCTIONS].map(([name, real]) => [name, real.blocking || fakes[name] ? record(name, real) : real]),
  )
  const interpreter = new Interpreter({
    program,
    library,
    context: {
      now: () => FAKE_START + slept.reduce((sum, seconds) => sum + seconds, 0) * 1000,
      sleep: async seconds => void slept.push(seconds),
      environment: name => environment[name],
      log: ({ severity, data }) => void logs.push({ severity, data: plainOf(data) }),
      signal: new AbortController().signal,
    },
    onStep: ({ routine, step, state }) => void (state === 'started' && steps.push(`${routine}/${step}`)),
  })
  const outcome = await interpreter.run(valueOfPlain(argument)).then(
    value => ({ result: plainOf(value) }),
    (error: unknown) => {
      if (!(error instanceof WorkflowError)) throw error
      return { error: { payload: plainOf(error.payload), context: error.context } }
    },
  )
  if (missing.size > 0) throw new Error(`the test has no fake for ${[...missing].join(', ')}`)
  return { ...outcome, trace, steps, slept, logs }
}

/** The tags of an error payload, for short asserts. */
export function tagsOf(run: WorkflowRun): readonly unknown[] {
  const payload = run.error?.payload
  const tags = typeof payload === 'object' && payload !== null && 'tags' in payload ? payload.tags : []
  return Array.isArray(tags) ? tags : []
}
