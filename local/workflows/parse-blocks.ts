/** Parses the steps that hold other steps: loops, parallel work, try and the cases of a switch. */
import { type Node, YAMLMap } from 'yaml'
import { dottedName } from './expression.ts'
import { LIMITS } from './limits.ts'
import type { Place, StepParser } from './parse-steps.ts'
import type { Action, Branch, Jump, Loop, Retry } from './program.ts'
import { BACKOFFS, PREDICATES, RETRY_POLICIES } from './retry.ts'
import { type Entry, SourceProblem } from './source.ts'

export class BlockParser {
  readonly #steps: StepParser

  constructor(steps: StepParser) {
    this.#steps = steps
  }

  get #source() {
    return this.#steps.source
  }

  /** The rest of a case, whose keys are those of a step. */
  caseBody(rest: readonly Entry[], node: Node, place: Place): { action?: Action; next?: Jump } {
    if (rest.length === 0) throw new SourceProblem('a case of a switch needs something to do, or next', node)
    const map = new YAMLMap()
    map.range = node.range ?? null
    for (const { keyNode, value } of rest) map.add({ key: keyNode, value })
    return this.#steps.body(map, place, 'a case of a switch')
  }

  loop(node: Node | null, place: Place, parallel: boolean): Loop {
    const fields = this.#source.fields(node, 'for', ['value', 'index', 'in', 'range', 'steps'])
    const value = this.#source.name(fields.get('value') ?? null, 'value of for')
    this.#steps.checks.onAssigned(value)
    const indexNode = fields.get('index') ?? null
    const index = indexNode === null ? undefined : this.#source.name(indexNode, 'index of for')
    if (index !== undefined) this.#steps.checks.onAssigned(index)
    if (fields.has('in') === fields.has('range'))
      throw new SourceProblem('for needs either in or range', node)
    if (index !== undefined && fields.has('range'))
      throw new SourceProblem('index goes with in, not with range', node)
    const within = this.#within(place, parallel)
    const steps = this.#steps.steps(fields.get('steps') ?? null, {
      path: place.path,
      targets: new Set(),
      within,
    })
    return { value, ...(index !== undefined && { index }), over: this.#over(fields), steps }
  }

  #within(place: Place, parallel: boolean): Place['within'] {
    if (parallel) return 'parallel-loop'
    return place.within === 'routine' || place.within === 'loop' ? 'loop' : 'loop-in-parallel'
  }

  #over(fields: ReadonlyMap<string, Node | null>): Loop['over'] {
    const range = fields.get('range') ?? null
    if (range === null) return { kind: 'list', list: this.#source.template(fields.get('in') ?? null) }
    const [first, last, ...more] = this.#source.items(range, 'range').map(item => this.#source.template(item))
    if (first === undefined || last === undefined || more.length > 0) {
      throw new SourceProblem('range must be a list of two: the first and the last number', range)
    }
    return { kind: 'range', first, last }
  }

  parallel(node: Node | null, place: Place): Action {
    const allowed = ['exception_policy', 'shared', 'concurrency_limit', 'branches', 'for']
    const fields = this.#source.fields(node, 'parallel', allowed)
    const policy = fields.get('exception_policy') ?? null
    if (policy !== null && this.#source.text(policy, 'exception_policy') !== 'continueAll') {
      throw new SourceProblem('continueAll is the only exception_policy', policy)
    }
    if (fields.has('branches') === fields.has('for')) {
      throw new SourceProblem('parallel needs either branches or for', node)
    }
    const sharedNode = fields.get('shared') ?? null
    const shared = sharedNode === null ? [] : this.#source.items(sharedNode, 'shared')
    const limit = fields.get('concurrency_limit') ?? null
    const work = fields.has('for')
      ? ({ kind: 'for', loop: this.loop(fields.get('for') ?? null, place, true) } as const)
      : ({ kind: 'branches', branches: this.#branches(fields.get('branches') ?? null, place) } as const)
    return {
      kind: 'parallel',
      shared: new Set(shared.map(item => this.#source.name(item, 'a shared variable'))),
      ...(limit !== null && { limit: this.#source.template(limit) }),
      work,
    }
  }

  #branches(node: Node | null, place: Place): readonly Branch[] {
    const items = this.#source.items(node, 'branches')
    if (items.length > LIMITS.branches) {
      throw new SourceProblem(`${items.length} branches; at most ${LIMITS.branches} are allowed`, node)
    }
    return items.map(item => {
      const { key, value } = this.#source.single(item, 'a branch')
      const fields = this.#source.fields(value, `branch "${key}"`, ['steps'])
      const inside: Place = { path: `${place.path}/${key}`, targets: new Set(), within: 'branch' }
      return { name: key, steps: this.#steps.steps(fields.get('steps') ?? null, inside) }
    })
  }

  try(fields: ReadonlyMap<string, Node | null>, place: Place): Action {
    const node = fields.get('try') ?? null
    const keys = this.#source.entries(node, 'try').map(entry => entry.key)
    if (!keys.includes('call') && !keys.includes('steps')) {
      throw new SourceProblem('try holds one call, or steps: put anything else under steps', node)
    }
    const { action: body, next } = this.#steps.body(node, place, 'try')
    if (body === undefined || next !== undefined)
      throw new SourceProblem('next belongs beside try, not in it', node)
    const retry = fields.get('retry') ?? null
    const except = fields.get('except') ?? null
    if (retry === null && except === null) throw new SourceProblem('try needs retry, except or both', node)
    return {
      kind: 'try',
      body,
      ...(retry !== null && { retry: this.#retry(retry) }),
      ...(except !== null && { except: this.#except(except, place) }),
    }
  }

  #except(node: Node, place: Place): { as: string; steps: Loop['steps'] } {
    const fields = this.#source.fields(node, 'except', ['as', 'steps'])
    const as = this.#source.name(fields.get('as') ?? null, 'as of except')
    this.#steps.checks.onAssigned(as)
    return { as, steps: this.#steps.steps(fields.get('steps') ?? null, place) }
  }

  #retry(node: Node): Retry {
    const template = this.#source.template(node)
    if (template.kind === 'expression') {
      const policy = dottedName(template.expression) ?? ''
      if (RETRY_POLICIES.has(policy)) return { kind: 'policy', policy }
      throw new SourceProblem(`retry must be one of ${[...RETRY_POLICIES.keys()].join(', ')}, or a map`, node)
    }
    const fields = this.#source.fields(node, 'retry', ['predicate', 'max_retries', 'backoff'])
    const maxRetries = fields.get('max_retries') ?? null
    if (maxRetries === null) throw new SourceProblem('retry needs max_retries', node)
    return {
      kind: 'custom',
      predicate: this.#predicate(fields.get('predicate') ?? null, node),
      maxRetries: this.#source.template(maxRetries),
      backoff: this.#backoff(fields.get('backoff') ?? null, node),
    }
  }

  #predicate(node: Node | null, retry: Node): string {
    const template = this.#source.template(node)
    const name = template.kind === 'expression' ? dottedName(template.expression) : undefined
    if (name === undefined)
      throw new SourceProblem(
        'retry needs predicate, an expression that names a predicate or subworkflow',
        retry,
      )
    if (!PREDICATES.has(name)) this.#steps.checks.onPredicate(name, node ?? retry)
    return name
  }

  #backoff(node: Node | null, retry: Node): Extract<Retry, { kind: 'custom' }>['backoff'] {
    if (node === null) throw new SourceProblem('retry needs backoff', retry)
    const template = this.#source.template(node)
    if (template.kind === 'expression') {
      const backoff = BACKOFFS.get(dottedName(template.expression) ?? '')
      if (backoff === undefined)
        throw new SourceProblem('backoff must be retry.default_backoff, as an expression, or a map', node)
      return { kind: 'literal', value: backoff }
    }
    const fields = this.#source.fields(node, 'backoff', ['initial_delay', 'max_delay', 'multiplier'])
    if (fields.size < 3)
      throw new SourceProblem('backoff needs initial_delay, max_delay and multiplier', node)
    return template
  }
}
