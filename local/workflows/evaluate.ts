/** Computes expressions and templates. Asynchronous because an expression may call a subworkflow. */
import { typeError } from './errors.ts'
import { dottedName, type Expression } from './expression.ts'
import { applyBinary, elementOf, negate, truth } from './operators.ts'
import type { Template } from './program.ts'
import { BACKOFFS, CONSTANTS } from './retry.ts'
import type { Scope } from './scope.ts'
import type { Value } from './values.ts'

export interface Evaluation {
  readonly scope: Scope
  /** Calls a function or subworkflow with positional arguments. */
  call(name: string, args: readonly Value[]): Promise<Value>
}

export async function evaluate(expression: Expression, on: Evaluation): Promise<Value> {
  switch (expression.kind) {
    case 'literal':
      return expression.value
    case 'name':
      return on.scope.get(expression.name)
    case 'list':
      return evaluateAll(expression.items, on)
    case 'member':
      return constantOf(expression) ?? elementOf(await evaluate(expression.object, on), expression.key)
    case 'index':
      return elementOf(await evaluate(expression.object, on), await evaluate(expression.index, on))
    case 'unary': {
      const operand = await evaluate(expression.operand, on)
      return expression.operator === '-' ? negate(operand) : !truth(operand, "the operand of 'not'")
    }
    case 'binary':
      return evaluateBinary(expression, on)
    case 'call':
      return on.call(expression.function, await evaluateAll(expression.args, on))
  }
}

async function evaluateAll(expressions: readonly Expression[], on: Evaluation): Promise<Value[]> {
  const values: Value[] = []
  for (const expression of expressions) values.push(await evaluate(expression, on))
  return values
}

/** `and` and `or` leave their right side alone when the left one decides. */
async function evaluateBinary(
  { operator, left, right }: Extract<Expression, { kind: 'binary' }>,
  on: Evaluation,
): Promise<Value> {
  const first = await evaluate(left, on)
  if (operator !== 'and' && operator !== 'or') return applyBinary(operator, first, await evaluate(right, on))
  const side = `an operand of '${operator}'`
  if (truth(first, side) === (operator === 'or')) return first
  return truth(await evaluate(right, on), side)
}

/** `retry.default_backoff` is data; policies and predicates are not values that a variable can hold. */
function constantOf(expression: Expression): Value | undefined {
  const name = dottedName(expression) ?? ''
  if (!CONSTANTS.has(name)) return undefined
  const backoff = BACKOFFS.get(name)
  if (backoff === undefined) throw typeError(`${name} can only be used in retry`)
  return backoff
}

export async function evaluateTemplate(template: Template, on: Evaluation): Promise<Value> {
  switch (template.kind) {
    case 'literal':
      return template.value
    case 'expression':
      return evaluate(template.expression, on)
    case 'list': {
      const values: Value[] = []
      for (const item of template.items) values.push(await evaluateTemplate(item, on))
      return values
    }
    case 'map': {
      const values = new Map<string, Value>()
      for (const [key, item] of template.entries) values.set(key, await evaluateTemplate(item, on))
      return values
    }
  }
}
