/** Runs the steps that hold other steps: loops, parallel work and try. */
import { taggedError, typeError, valueError, WorkflowError } from './errors.ts'
import { type Frame, NEXT, type Outcome } from './frame.ts'
import type { Interpreter } from './interpreter.ts'
import { LIMITS } from './limits.ts'
import { truth } from './operators.ts'
import type { Action, Loop, Retry } from './program.ts'
import { type Backoff, delayBefore, PREDICATES, RETRY_POLICIES } from './retry.ts'
import { isList, isMap, isNumeric, mapOf, typeName, type Value } from './values.ts'

/** The values of a loop with their index. A range includes both ends. */
async function itemsOf(interpreter: Interpreter, { over }: Loop, frame: Frame): Promise<readonly Value[]> {
  if (over.kind === 'list') {
    const list = await interpreter.value(over.list, frame)
    if (!isList(list)) throw typeError(`for needs a list (of a map, use keys()); got: ${typeName(list)}`)
    return list
  }
  const first = await interpreter.value(over.first, frame)
  const last = await interpreter.value(over.last, frame)
  if (typeof first === 'bigint' && typeof last === 'bigint') {
    return Array.from({ length: Math.max(0, Number(last - first) + 1) }, (_, i) => first + BigInt(i))
  }
  if (!isNumeric(first) || !isNumeric(last)) throw typeError('the ends of a range must be numbers')
  const from = Number(first)
  return Array.from({ length: Math.max(0, Math.floor(Number(last) - from) + 1) }, (_, i) => from + i)
}

/** One pass over the steps of a loop, in its own level of variables. */
async function iterate(interpreter: Interpreter, loop: Loop, frame: Frame, value: Value, i: number) {
  const scope = frame.scope.inner()
  try {
    scope.declare(loop.value, value)
    if (loop.index !== undefined) scope.declare(loop.index, BigInt(i))
    return await interpreter.steps(loop.steps, { ...frame, scope })
  } finally {
    scope.close()
  }
}

/** https://cloud.google.com/workflows/docs/reference/syntax/iteration */
export async function runLoop(interpreter: Interpreter, loop: Loop, frame: Frame): Promise<Outcome> {
  for (const [i, value] of (await itemsOf(interpreter, loop, frame)).entries()) {
    const outcome = await iterate(interpreter, loop, frame, value, i)
    if (outcome.kind === 'break') break
    if (outcome.kind !== 'next' && outcome.kind !== 'continue') return outcome
  }
  return NEXT
}

type Parallel = Extract<Action, { kind: 'parallel' }>
type Task = (frame: Frame) => Promise<unknown>

async function tasksOf(interpreter: Interpreter, { work }: Parallel, frame: Frame): Promise<readonly Task[]> {
  if (work.kind === 'branches') {
    return work.branches.map(branch => inner => interpreter.steps(branch.steps, inner))
  }
  const items = await itemsOf(interpreter, work.loop, frame)
  return items.map((item, i) => inner => iterate(interpreter, work.loop, inner, item, i))
}

async function concurrencyOf(interpreter: Interpreter, { limit }: Parallel, frame: Frame): Promise<number> {
  if (limit === undefined) return LIMITS.concurrentBranches
  const value = await interpreter.value(limit, frame)
  if (typeof value !== 'bigint')
    throw typeError(`concurrency_limit must be an integer; got: ${typeName(value)}`)
  if (value < 1n) throw valueError(`concurrency_limit must be positive; got: ${value}`)
  return Math.min(Number(value), LIMITS.concurrentBranches)
}

/**
 * All branches run to their end, whatever happens in the others; then their errors are raised as one.
 * https://cloud.google.com/workflows/docs/reference/syntax/parallel-steps
 */
export async function runParallel(
  interpreter: Interpreter,
  action: Parallel,
  frame: Frame,
): Promise<Outcome> {
  const parallelDepth = frame.parallelDepth + 1
  if (parallelDepth > LIMITS.parallelNesting) {
    throw taggedError('ParallelNestingError', 'ParallelNestingError: parallel steps are nested too deeply')
  }
  const tasks = await tasksOf(interpreter, action, frame)
  const limit = await concurrencyOf(interpreter, action, frame)
  const failures = new Map<number, WorkflowError>()
  const queue = tasks.entries()
  const worker = async () => {
    for (const [i, task] of queue) {
      const scope = frame.scope.inner(action.shared)
      try {
        await task({ ...frame, scope, parallelDepth, id: {} })
      } catch (error) {
        if (!(error instanceof WorkflowError)) throw error
        failures.set(i, error)
      } finally {
        scope.close()
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(limit, tasks.length) }, worker))
  if (failures.size > 0) throw branchError(failures, frame.routine)
  return NEXT
}

/** At most 100 of the errors are told. */
function branchError(failures: ReadonlyMap<number, WorkflowError>, routine: string): WorkflowError {
  const told = [...failures].sort(([a], [b]) => a - b).slice(0, 100)
  const branches = told.map(([i, error]) =>
    mapOf({ id: `${routine}.${i + 1}`, error: mapOf({ context: error.context, payload: error.payload }) }),
  )
  const message =
    'UnhandledBranchError: One or more branches or iterations encountered an unhandled runtime error'
  return taggedError('UnhandledBranchError', message, { branches, truncated: failures.size > told.length })
}

/** https://cloud.google.com/workflows/docs/reference/syntax/retrying */
export async function runTry(
  interpreter: Interpreter,
  { body, retry, except }: Extract<Action, { kind: 'try' }>,
  frame: Frame,
): Promise<Outcome> {
  const policy = retry && (await policyOf(interpreter, retry, frame))
  for (let attempt = 0; ; attempt++) {
    try {
      return await interpreter.action(body, frame)
    } catch (error) {
      if (!(error instanceof WorkflowError)) throw error
      if (policy && attempt < policy.maxRetries && (await policy.accepts(error.payload))) {
        await interpreter.context.sleep(delayBefore(policy.backoff, attempt))
        continue
      }
      if (except === undefined) throw error
      const scope = frame.scope.inner()
      try {
        scope.declare(except.as, error.payload)
        return await interpreter.steps(except.steps, { ...frame, scope })
      } finally {
        scope.close()
      }
    }
  }
}

async function policyOf(interpreter: Interpreter, retry: Retry, frame: Frame) {
  if (retry.kind === 'policy') {
    const policy = RETRY_POLICIES.get(retry.policy)
    if (policy === undefined) throw typeError(`${retry.policy} is not a retry policy`)
    return { ...policy, accepts: async (error: Value) => policy.predicate(error) }
  }
  const maxRetries = await interpreter.value(retry.maxRetries, frame)
  if (!isNumeric(maxRetries) || maxRetries < 0) throw typeError('max_retries must be a number, 0 or more')
  const backoff = backoffOf(await interpreter.value(retry.backoff, frame))
  return {
    maxRetries: Number(maxRetries),
    backoff,
    accepts: predicateOf(interpreter, retry.predicate, frame),
  }
}

/** A subworkflow as predicate gets the error under the name of its one parameter. */
function predicateOf(interpreter: Interpreter, name: string, frame: Frame) {
  const known = PREDICATES.get(name)
  return async (error: Value): Promise<boolean> => {
    if (known) return known(error)
    return truth(await interpreter.callWith(name, error, frame), `the result of predicate ${name}`)
  }
}

function backoffOf(value: Value): Backoff {
  const part = (key: string): number => {
    const number = isMap(value) ? value.get(key) : undefined
    if (number === undefined || !isNumeric(number) || number < 0) {
      throw typeError(`${key} of backoff must be a number, 0 or more`)
    }
    return Number(number)
  }
  return { initialDelay: part('initial_delay'), maxDelay: part('max_delay'), multiplier: part('multiplier') }
}
