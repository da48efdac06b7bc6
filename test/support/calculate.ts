/** Computes one Workflows expression, for the tables of expressions and functions. */
import { runWorkflow, tagsOf, type WorkflowRun } from './run-workflow.ts'

/** Variables that every expression in the tables may use. */
const VARIABLES = {
  n: 7,
  big: `\${9223372036854775807}`,
  pi: 3.5,
  s: 'héllo',
  yes: true,
  none: null,
  list: [10, 20, [30, 31]],
  map: { a: 1, 'b c': 2, deep: { er: { x: 'y' } }, nothing: null },
}

export async function runExpression(expression: string): Promise<WorkflowRun> {
  const assignments = Object.entries(VARIABLES).map(([name, value]) => ({ [name]: value }))
  const steps = [{ variables: { assign: assignments } }, { answer: { return: `\${${expression}}` } }]
  return runWorkflow(JSON.stringify({ main: { steps } }), null, {}, { GREETING: 'hi' })
}

/** The value as plain data, or the first tag of the error as `!TypeError`. */
export async function calculate(expression: string): Promise<unknown> {
  const run = await runExpression(expression)
  return run.error ? `!${String(tagsOf(run)[0])}` : run.result
}
