/** Checks, once all subworkflows are known, that every call and every variable of the source exists. */
import { dottedName, type Expression } from './expression.ts'
import type { Parameter, Routine, Signature } from './program.ts'
import { CONSTANTS } from './retry.ts'
import { SourceProblem } from './source.ts'

interface Use {
  readonly routine: string
  readonly node: unknown
  readonly name: string
}

type Call = Use &
  (
    | { readonly kind: 'step'; readonly args: readonly string[] }
    | { readonly kind: 'expression'; readonly count: number }
  )

export class CallChecks {
  readonly #functions: ReadonlyMap<string, Signature>
  readonly #calls: Call[] = []
  readonly #predicates: Use[] = []
  readonly #reads: Use[] = []
  readonly #assigned = new Map<string, Set<string>>()
  #routine = 'main'

  constructor(functions: ReadonlyMap<string, Signature>) {
    this.#functions = functions
  }

  enter(routine: string, parameters: readonly Parameter[]): void {
    this.#routine = routine
    this.#assigned.set(routine, new Set(parameters.map(parameter => parameter.name)))
  }

  onAssigned(variable: string): void {
    this.#assigned.get(this.#routine)?.add(variable)
  }

  onCall(name: string, args: readonly string[], node: unknown): void {
    this.#calls.push({ kind: 'step', routine: this.#routine, name, args, node })
  }

  onPredicate(name: string, node: unknown): void {
    this.#predicates.push({ routine: this.#routine, name, node })
  }

  onExpression(expression: Expression, node: unknown): void {
    const routine = this.#routine
    const visit = (part: Expression): void => {
      if (CONSTANTS.has(dottedName(part) ?? '')) return
      if (part.kind === 'call') {
        this.#calls.push({ kind: 'expression', routine, name: part.function, count: part.args.length, node })
        part.args.forEach(visit)
      } else if (part.kind === 'name') this.#reads.push({ routine, name: part.name, node })
      else if (part.kind === 'list') part.items.forEach(visit)
      else if (part.kind === 'member') visit(part.object)
      else if (part.kind === 'index') [part.object, part.index].forEach(visit)
      else if (part.kind === 'unary') visit(part.operand)
      else if (part.kind === 'binary') [part.left, part.right].forEach(visit)
    }
    visit(expression)
  }

  problems(routines: ReadonlyMap<string, Routine>): readonly { problem: SourceProblem; routine: string }[] {
    const found: { problem: SourceProblem; routine: string }[] = []
    const say = (use: Use, message: string) =>
      found.push({ problem: new SourceProblem(message, use.node), routine: use.routine })
    for (const call of this.#calls) {
      const message = this.#problemOf(call, routines)
      if (message !== undefined) say(call, message)
    }
    for (const use of this.#predicates) {
      const parameters = routines.get(use.name)?.parameters
      if (parameters?.length !== 1) say(use, `predicate "${use.name}" is no subworkflow with one parameter`)
    }
    for (const use of this.#reads) {
      const known =
        this.#assigned.get(use.routine)?.has(use.name) || this.#predicates.some(p => p.node === use.node)
      if (!known) say(use, `variable "${use.name}" is never assigned`)
    }
    return found
  }

  #problemOf(call: Call, routines: ReadonlyMap<string, Routine>): string | undefined {
    const routine = routines.get(call.name)
    const parameters = routine
      ? routine.parameters.map(({ name, fallback }) => ({ name, required: fallback === undefined }))
      : this.#functions.get(call.name)?.parameters
    if (parameters === undefined) return unknownFunction(call.name)
    if (call.kind === 'expression') {
      if (!routine && this.#functions.get(call.name)?.blocking) {
        return `${call.name} blocks: it must be a call step, not part of an expression`
      }
      const required = parameters.filter(parameter => parameter.required).length
      if (call.count >= required && call.count <= parameters.length) return undefined
      return `${call.name} takes ${required} to ${parameters.length} arguments, not ${call.count}`
    }
    const names = parameters.map(parameter => parameter.name)
    const unknown = call.args.find(arg => !names.includes(arg))
    if (unknown !== undefined)
      return `${call.name} has no argument "${unknown}"; it takes: ${names.join(', ') || 'none'}`
    const missing = parameters.find(({ name, required }) => required && !call.args.includes(name))
    return missing && `${call.name} needs the argument "${missing.name}"`
  }
}

function unknownFunction(name: string): string {
  if (name.startsWith('googleapis.')) return `the connector ${name} is not served here`
  if (/^(events|experimental)\./.test(name)) return `${name} is not served here`
  return `there is no function or subworkflow "${name}"`
}
