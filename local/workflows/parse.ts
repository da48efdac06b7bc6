/** Parses and checks the source of a workflow; a source with problems is refused with all of them. */
import type { Node } from 'yaml'
import { isSeq } from 'yaml'
import { CallChecks } from './check-calls.ts'
import { InvalidSource, type Position } from './errors.ts'
import { LIMITS } from './limits.ts'
import { StepParser } from './parse-steps.ts'
import type { Parameter, Program, Routine, Signature } from './program.ts'
import { Source, SourceProblem } from './source.ts'

/**
 * The checked program of a YAML or JSON source. `functions` are the ones that exist besides the subworkflows.
 * Throws `InvalidSource` with every problem found, each with its line.
 * https://cloud.google.com/workflows/docs/reference/syntax
 */
export function parseWorkflow(text: string, functions: ReadonlyMap<string, Signature>): Program {
  const bytes = Buffer.byteLength(text)
  if (bytes > LIMITS.sourceBytes) {
    throw new InvalidSource([
      `the source has ${bytes} bytes; at most 128 KB (${LIMITS.sourceBytes}) are allowed`,
    ])
  }
  return new WorkflowParser(text, functions).parse()
}

class WorkflowParser {
  readonly #problems: (Position & { readonly text: string })[] = []
  readonly #checks: CallChecks
  readonly #source: Source

  constructor(text: string, functions: ReadonlyMap<string, Signature>) {
    this.#checks = new CallChecks(functions)
    this.#source = new Source(text, (expression, node) => this.#checks.onExpression(expression, node))
  }

  parse(): Program {
    const routines = new Map<string, Routine>()
    try {
      const root = this.#source.root
      if (root === null) throw new SourceProblem('the source is empty', null)
      if (isSeq(root)) routines.set('main', this.#routine('main', [], root))
      else this.#routines(root, routines)
    } catch (error) {
      this.#report(error, 'workflow')
    }
    for (const { problem, routine } of this.#checks.problems(routines)) this.#report(problem, routine)
    if (this.#problems.length > 0) {
      const sorted = this.#problems.toSorted((a, b) => a.line - b.line || a.column - b.column)
      throw new InvalidSource(sorted.map(problem => problem.text))
    }
    return { routines }
  }

  #routines(root: Node, routines: Map<string, Routine>): void {
    for (const { key, keyNode, value } of this.#source.entries(root, 'a workflow')) {
      try {
        const fields = this.#source.fields(value, `workflow "${key}"`, ['params', 'steps'])
        const parameters = this.#parameters(fields.get('params') ?? null, key)
        const steps = fields.get('steps')
        if (!steps) throw new SourceProblem(`workflow "${key}" has no steps`, keyNode)
        routines.set(key, this.#routine(key, parameters, steps))
      } catch (error) {
        this.#report(error, key)
      }
    }
    if (!routines.has('main') && this.#problems.length === 0) {
      throw new SourceProblem('there is no workflow named "main"', root)
    }
  }

  #parameters(node: Node | null, routine: string): Parameter[] {
    if (node === null) return []
    const parameters = this.#source.items(node, 'params').map((item): Parameter => {
      const template = this.#source.template(item)
      if (template.kind === 'literal') return { name: this.#source.name(item, 'a parameter') }
      const { key, value } = this.#source.single(item, 'a parameter with a default')
      const fallback = this.#source.template(value)
      if (fallback.kind !== 'literal')
        throw new SourceProblem('the default of a parameter must be a constant', item)
      return { name: key, fallback: fallback.value }
    })
    if (routine === 'main' && parameters.length > 1) {
      throw new SourceProblem('main takes one parameter, which holds the whole argument', node)
    }
    return parameters
  }

  #routine(name: string, parameters: readonly Parameter[], steps: Node): Routine {
    this.#checks.enter(name, parameters)
    const parser = new StepParser(this.#source, this.#checks, (error, path) => this.#report(error, path))
    return {
      name,
      parameters,
      steps: parser.steps(steps, { path: name, targets: new Set(), within: 'routine' }),
    }
  }

  #report(error: unknown, path: string): void {
    if (!(error instanceof SourceProblem)) throw error
    const { line, column } = this.#source.position(error.node)
    this.#problems.push({ line, column, text: `line ${line}, column ${column}: ${path}: ${error.message}` })
  }
}
