/** Runs a checked program: steps in order, jumps, calls, and what each step reports. */
import {
  Cancelled,
  recursionError,
  resourceLimitError,
  systemError,
  typeError,
  WorkflowError,
} from './errors.ts'
import { type Evaluation, evaluate, evaluateTemplate } from './evaluate.ts'
import { type Frame, NEXT, type Outcome } from './frame.ts'
import { encodeJson } from './json.ts'
import { Args, type FunctionContext, type Library } from './library.ts'
import { LIMITS } from './limits.ts'
import { truth } from './operators.ts'
import type { Action, Program, Routine, Step, Template } from './program.ts'
import { runLoop, runParallel, runTry } from './run-blocks.ts'
import { Memory, Scope } from './scope.ts'
import { isMap, sizeOf, type Value } from './values.ts'

export interface StepReport {
  readonly routine: string
  readonly step: string
  readonly state: 'started' | 'succeeded' | 'failed'
}

export interface RunOptions {
  readonly program: Program
  readonly library: Library
  readonly context: FunctionContext
  readonly onStep?: (report: StepReport) => void
}

export class Interpreter {
  readonly context: FunctionContext
  readonly #options: RunOptions
  readonly #memory = new Memory()
  #steps = 0

  constructor(options: RunOptions) {
    this.#options = options
    this.context = options.context
  }

  /** The value of a whole execution. Throws `WorkflowError` or `Cancelled`. */
  async run(argument: Value): Promise<Value> {
    const main = this.#options.program.routines.get('main')
    if (main === undefined) throw systemError('there is no main workflow')
    const args = new Map(main.parameters.slice(0, 1).map(({ name }) => [name, argument]))
    return this.#invoke(main, args, 0, 0)
  }

  async steps(steps: readonly Step[], frame: Frame): Promise<Outcome> {
    for (let i = 0; i < steps.length; i++) {
      const step = steps[i]
      if (step === undefined) break
      const outcome = await this.#step(step, frame)
      if (outcome.kind === 'next') continue
      const target = outcome.kind === 'step' ? steps.findIndex(each => each.name === outcome.step) : -1
      if (target < 0) return outcome
      i = target - 1
    }
    return NEXT
  }

  async #step(step: Step, frame: Frame): Promise<Outcome> {
    const report = (state: StepReport['state']) =>
      this.#options.onStep?.({ routine: frame.routine, step: step.name, state })
    if (this.context.signal.aborted) throw new Cancelled()
    report('started')
    try {
      if (++this.#steps > LIMITS.steps) throw resourceLimitError('Steps limit exceeded')
      const outcome = step.action ? await this.action(step.action, frame) : NEXT
      report('succeeded')
      return outcome.kind === 'next' && step.next ? step.next : outcome
    } catch (thrown) {
      report('failed')
      if (thrown instanceof Cancelled) throw thrown
      const error = thrown instanceof WorkflowError ? thrown : systemError(String(thrown))
      error.locate(frame.id, { step: step.name, routine: frame.routine, position: step.position })
      throw error
    }
  }

  async action(action: Action, frame: Frame): Promise<Outcome> {
    switch (action.kind) {
      case 'assign':
        return this.#assign(action, frame)
      case 'call':
        return this.#callStep(action, frame)
      case 'switch':
        return this.#switch(action, frame)
      case 'for':
        return runLoop(this, action.loop, frame)
      case 'parallel':
        return runParallel(this, action, frame)
      case 'try':
        return runTry(this, action, frame)
      case 'steps':
        return this.steps(action.steps, frame)
      case 'return':
        return { kind: 'return', value: await this.value(action.value, frame) }
      case 'raise':
        throw raised(await this.value(action.value, frame))
    }
  }

  value(template: Template, frame: Frame): Promise<Value> {
    return evaluateTemplate(template, this.#evaluation(frame))
  }

  #evaluation(frame: Frame): Evaluation {
    return { scope: frame.scope, call: (name, args) => this.#callByPosition(name, args, frame) }
  }

  async #assign({ assignments }: Extract<Action, { kind: 'assign' }>, frame: Frame): Promise<Outcome> {
    for (const { target, value } of assignments) {
      const assigned = await this.value(value, frame)
      checkSize(assigned)
      if (target.path.length === 0) frame.scope.set(target.variable, assigned)
      else {
        const path: Value[] = []
        for (const part of target.path) path.push(await evaluate(part, this.#evaluation(frame)))
        frame.scope.setElement(target.variable, path, assigned)
      }
    }
    return NEXT
  }

  async #callStep(action: Extract<Action, { kind: 'call' }>, frame: Frame): Promise<Outcome> {
    const args = new Map<string, Value>()
    for (const [name, template] of action.args) args.set(name, await this.value(template, frame))
    const result = await this.call(action.function, args, frame)
    if (action.result !== undefined) frame.scope.set(action.result, result)
    return NEXT
  }

  async #switch({ cases }: Extract<Action, { kind: 'switch' }>, frame: Frame): Promise<Outcome> {
    for (const { condition, action, next } of cases) {
      if (!truth(await this.value(condition, frame), 'the condition of a switch')) continue
      const outcome = action ? await this.action(action, frame) : NEXT
      return outcome.kind === 'next' && next ? next : outcome
    }
    return NEXT
  }

  /** Calls a subworkflow or a library function with named arguments. */
  async call(name: string, args: ReadonlyMap<string, Value>, frame: Frame): Promise<Value> {
    const routine = this.#options.program.routines.get(name)
    if (routine) return this.#invoke(routine, args, frame.depth + 1, frame.parallelDepth)
    const library = this.#options.library.get(name)
    if (library === undefined) throw systemError(`there is no function ${name}`)
    return library.call(new Args(name, args), this.context)
  }

  /** Calls a routine of one parameter. */
  callWith(name: string, value: Value, frame: Frame): Promise<Value> {
    return this.#callByPosition(name, [value], frame)
  }

  async #callByPosition(name: string, args: readonly Value[], frame: Frame): Promise<Value> {
    const routine = this.#options.program.routines.get(name)
    const parameters = routine?.parameters ?? this.#options.library.get(name)?.parameters ?? []
    const named = new Map(args.map((value, i) => [parameters[i]?.name ?? String(i), value]))
    return this.call(name, named, frame)
  }

  async #invoke(
    routine: Routine,
    args: ReadonlyMap<string, Value>,
    depth: number,
    parallelDepth: number,
  ): Promise<Value> {
    if (depth >= LIMITS.callDepth) throw recursionError('maximum call stack depth exceeded')
    const scope = new Scope(this.#memory)
    try {
      for (const { name, fallback } of routine.parameters) {
        // Null is a value: only an argument that is left out gets the default.
        const value = args.has(name) ? args.get(name) : fallback
        if (value === undefined) throw typeError(`${routine.name} needs the argument ${name}`)
        scope.declare(name, value)
      }
      const outcome = await this.steps(routine.steps, {
        routine: routine.name,
        scope,
        depth,
        parallelDepth,
        id: {},
      })
      return outcome.kind === 'return' ? outcome.value : null
    } finally {
      scope.close()
    }
  }
}

/** What `raise` throws: a map with a message speaks for itself, anything else is shown as JSON. */
function raised(payload: Value): WorkflowError {
  const message = isMap(payload) ? payload.get('message') : undefined
  return new WorkflowError(
    typeof message === 'string' ? message : `RuntimeError: ${encodeJson(payload)}`,
    payload,
  )
}

function checkSize(value: Value): void {
  if (typeof value === 'string' && sizeOf(value) > LIMITS.stringBytes) {
    throw resourceLimitError('String length limit exceeded')
  }
}
