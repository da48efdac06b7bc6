/** Parses the steps of a routine: which keys each kind may have, and where a jump may lead. */
import type { Node } from 'yaml'
import type { CallChecks } from './check-calls.ts'
import { LIMITS } from './limits.ts'
import { BlockParser } from './parse-blocks.ts'
import type { Action, Case, Jump, Step, Target } from './program.ts'
import { type Source, SourceProblem } from './source.ts'

/** Where steps are written: what they may jump to, and what surrounds them. */
export interface Place {
  readonly path: string
  readonly targets: ReadonlySet<string>
  /** `loop` allows break and continue; `parallel-loop` only continue; nothing returns out of `branch`. */
  readonly within: 'routine' | 'loop' | 'branch' | 'parallel-loop' | 'loop-in-parallel'
}

const KINDS = ['assign', 'call', 'switch', 'for', 'parallel', 'try', 'raise', 'return', 'steps'] as const
type Kind = (typeof KINDS)[number]
/** What each kind of step may have beside its own key and `next`. */
const EXTRA: Partial<Record<Kind, readonly string[]>> = { call: ['args', 'result'], try: ['retry', 'except'] }

export class StepParser {
  readonly source: Source
  readonly checks: CallChecks
  readonly #report: (error: unknown, path: string) => void
  readonly #blocks: BlockParser

  constructor(source: Source, checks: CallChecks, report: (error: unknown, path: string) => void) {
    this.source = source
    this.checks = checks
    this.#report = report
    this.#blocks = new BlockParser(this)
  }

  /** A list of steps. Problems are reported step by step; a step with one is left out. */
  steps(node: Node | null, place: Place): readonly Step[] {
    const entries = this.source.items(node, 'steps').map(item => this.source.single(item, 'a step'))
    if (entries.length === 0) throw new SourceProblem('there must be at least one step', node)
    const targets = new Set(place.targets)
    for (const { key, keyNode } of entries) {
      if (targets.has(key)) throw new SourceProblem(`duplicate step name "${key}"`, keyNode)
      targets.add(key)
    }
    const steps: Step[] = []
    for (const { key, keyNode, value } of entries) {
      const path = `${place.path}/${key}`
      try {
        const body = this.body(value, { ...place, path, targets }, `step "${key}"`)
        steps.push({ name: key, position: this.source.position(keyNode), ...body })
      } catch (error) {
        this.#report(error, path)
      }
    }
    return steps
  }

  /** What a step does: one action, or only a jump. */
  body(node: Node | null, place: Place, what: string): { action?: Action; next?: Jump } {
    const keys = this.source.entries(node, what).map(entry => entry.key)
    const kinds = KINDS.filter(kind => keys.includes(kind))
    const [kind] = kinds
    if (kinds.length > 1) throw new SourceProblem(`${what} has both ${kinds.join(' and ')}`, node)
    if (kind === undefined && !keys.includes('next')) {
      // Names the unknown key first, which is the more useful thing to say.
      this.source.fields(node, what, [...KINDS, 'next'])
      throw new SourceProblem(`${what} does nothing; it needs one of: ${KINDS.join(', ')}, next`, node)
    }
    const ends = kind === 'raise' || kind === 'return'
    const allowed = [...(kind ? [kind, ...(EXTRA[kind] ?? [])] : []), ...(ends ? [] : ['next'])]
    const fields = this.source.fields(node, what, allowed)
    const next = fields.has('next') ? this.jump(fields.get('next') ?? null, place) : undefined
    const action = kind === undefined ? undefined : this.action(kind, fields, place)
    return { ...(action && { action }), ...(next && { next }) }
  }

  action(kind: Kind, fields: ReadonlyMap<string, Node | null>, place: Place): Action {
    const node = fields.get(kind) ?? null
    switch (kind) {
      case 'assign':
        return this.assign(node)
      case 'call':
        return this.call(fields)
      case 'switch':
        return this.switch(node, place)
      case 'for':
        return { kind, loop: this.#blocks.loop(node, place, false) }
      case 'parallel':
        return this.#blocks.parallel(node, place)
      case 'try':
        return this.#blocks.try(fields, place)
      case 'steps':
        return { kind, steps: this.steps(node, place) }
      case 'raise':
        return { kind, value: this.source.template(node) }
      case 'return':
        if (place.within !== 'routine' && place.within !== 'loop') {
          throw new SourceProblem('a parallel branch or iteration cannot return', node)
        }
        return { kind, value: this.source.template(node) }
    }
  }

  assign(node: Node | null): Action {
    const items = this.source.items(node, 'assign')
    if (items.length > LIMITS.assignments) {
      throw new SourceProblem(
        `${items.length} assignments in one step; at most ${LIMITS.assignments} are allowed`,
        node,
      )
    }
    const assignments = items.map(item => {
      const { key, keyNode, value } = this.source.single(item, 'an assignment')
      return { target: this.target(key, keyNode), value: this.source.template(value) }
    })
    return { kind: 'assign', assignments }
  }

  target(text: string, node: Node): Target {
    let expression = this.source.bareExpression(text, node)
    const path = []
    while (expression.kind === 'member' || expression.kind === 'index') {
      const { kind } = expression
      path.unshift(
        kind === 'index' ? expression.index : ({ kind: 'literal', value: expression.key } as const),
      )
      expression = expression.object
    }
    if (expression.kind !== 'name') throw new SourceProblem(`"${text}" cannot be assigned to`, node)
    this.checks.onAssigned(expression.name)
    return { variable: expression.name, path }
  }

  call(fields: ReadonlyMap<string, Node | null>): Action {
    const node = fields.get('call') ?? null
    const name = this.source.text(node, 'call')
    const given = fields.get('args') ?? null
    const entries = given === null ? [] : this.source.entries(given, 'args')
    const args = new Map(entries.map(({ key, value }) => [key, this.source.template(value)]))
    this.checks.onCall(name, [...args.keys()], node)
    const resultNode = fields.get('result') ?? null
    const result = resultNode === null ? undefined : this.source.name(resultNode, 'result')
    if (result !== undefined) this.checks.onAssigned(result)
    return { kind: 'call', function: name, args, ...(result !== undefined && { result }) }
  }

  switch(node: Node | null, place: Place): Action {
    const items = this.source.items(node, 'switch')
    if (items.length > LIMITS.conditions) {
      throw new SourceProblem(
        `${items.length} conditions in one switch; at most ${LIMITS.conditions} are allowed`,
        node,
      )
    }
    const cases = items.map((item, i): Case => {
      const entries = this.source.entries(item, 'a case of a switch')
      const condition = entries.find(entry => entry.key === 'condition')
      if (!condition) throw new SourceProblem('a case of a switch needs a condition', item)
      const rest = entries.filter(entry => entry.key !== 'condition')
      const body = this.#blocks.caseBody(rest, item, { ...place, path: `${place.path}/switch[${i}]` })
      return { condition: this.source.template(condition.value), ...body }
    })
    return { kind: 'switch', cases }
  }

  jump(node: Node | null, place: Place): Jump {
    const to = this.source.text(node, 'next')
    const looping = place.within === 'loop' || place.within === 'loop-in-parallel'
    if (to === 'break' || to === 'continue') {
      if (looping || (to === 'continue' && place.within === 'parallel-loop')) return { kind: to }
      throw new SourceProblem(
        `next: ${to} is only allowed ${to === 'break' ? 'in a for loop' : 'in a loop'}`,
        node,
      )
    }
    if (to === 'end') {
      if (place.within === 'routine' || place.within === 'loop') return { kind: 'end' }
      throw new SourceProblem('a parallel branch or iteration cannot jump to end', node)
    }
    if (place.targets.has(to)) return { kind: 'step', step: to }
    throw new SourceProblem(
      `next: there is no step "${to}" here; a jump cannot leave a loop or a branch`,
      node,
    )
  }
}
