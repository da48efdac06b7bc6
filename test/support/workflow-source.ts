/** Writes short workflow sources for tests. */
import { runWorkflow, type WorkflowRun } from './run-workflow.ts'

/** A `main` with those steps, and `more` subworkflows. `$x` up to the end of a line stands for `${x}`, which TypeScript would take. */
export function workflowSource(steps: string, more = ''): string {
  const indented = steps.trim().replace(/^/gm, '    ')
  return `main:\n  params: [args]\n  steps:\n${indented}\n${more}`.replace(
    /\$(?=[A-Za-z(["'])([^\n]*)$/gm,
    (_, x) => `\${${x}}`,
  )
}

export const runSteps = (steps: string, argument: unknown = {}, more = ''): Promise<WorkflowRun> =>
  runWorkflow(workflowSource(steps, more), argument)
