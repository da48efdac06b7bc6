/** Sources that are refused at deployment, each with its place, and the limits of Workflows. */
import { describe, expect, test } from 'vitest'
import { InvalidSource } from '../../local/workflows/errors.ts'
import { runWorkflow, tagsOf } from '../support/run-workflow.ts'
import { runSteps } from '../support/workflow-source.ts'

async function problemsOf(source: string): Promise<readonly string[]> {
  return runWorkflow(source).then(
    () => [],
    (error: unknown) => {
      if (error instanceof InvalidSource) return error.problems
      throw error
    },
  )
}

const steps = (count: number, make: (i: number) => string) => Array.from({ length: count }, (_, i) => make(i))

describe('refused', () => {
  test.each([
    ['an unknown key', '- a: {return: 1, nxt: b}', /^line 1, column 18: main\/a: unknown key "nxt"/],
    ['a step that does nothing', '- a: {}', /does nothing; it needs one of/],
    ['two actions', '- a: {return: 1, call: sys.now}', /has both call and return/],
    ['a step with two names', '- a: {return: 1}\n  b: {return: 2}', /one key; it has 2/],
    [
      'a duplicate step',
      '- a: {return: 1}\n- a: {return: 2}',
      /^line 2, column 3: .*duplicate step name "a"/,
    ],
    ['an unknown target', '- a: {next: b}', /^line 1, column 13: main\/a: next: there is no step "b"/],
    ['a jump into nested steps', '- a: {steps: [{x: {return: 1}}]}\n- b: {next: x}', /no step "x" here/],
    [
      'a jump out of a loop',
      '- a: {for: {value: v, in: [], steps: [{x: {next: b}}]}}\n- b: {return: 1}',
      /no step "b" here/,
    ],
    ['break outside a loop', '- a: {next: break}', /only allowed in a for loop/],
    [
      'return in a branch',
      '- a: {parallel: {branches: [{b: {steps: [{x: {return: 1}}]}}]}}',
      /cannot return/,
    ],
    ['an unknown function', '- a: {call: nothing.here}', /no function or subworkflow "nothing.here"/],
    [
      'an unknown connector argument',
      '- a: {call: googleapis.bigquery.v2.jobs.get, args: {job: 1}}',
      /has no argument "job"/,
    ],
    ['text around an expression', '- a: {return: "x ${1}"}', /must be the whole value/],
    ['a bad expression', '- a: {return: "${1 +}"}', /^line 1, column 15: main\/a: in \$\{1 \+\}/],
    ['a variable nobody assigns', '- a: {return: "${x}"}', /variable "x" is never assigned/],
    [
      'two parameters of main',
      'main: {params: [a, b], steps: [{x: {return: 1}}]}',
      /main takes one parameter/,
    ],
    ['no main', 'sub: {steps: [{x: {return: 1}}]}', /no workflow named "main"/],
    ['no steps', 'main: {steps: []}', /at least one step/],
    ['an empty source', '', /the source is empty/],
    ['no YAML', '- a: {', /not valid YAML/],
    ['two keys alike', 'main: {steps: [{a: {return: 1}}]}\nmain: {steps: []}', /unique/],
    [
      'try with a loop',
      '- a: {try: {for: {value: v, in: [], steps: [{x: {return: 1}}]}}, retry: "${http.default_retry}"}',
      /put anything else under steps/,
    ],
    ['try alone', '- a: {try: {steps: [{x: {return: 1}}]}}', /needs retry, except or both/],
    [
      'an unknown policy',
      '- a: {try: {steps: [{x: {return: 1}}]}, retry: "${http.retry}"}',
      /retry must be one of/,
    ],
    [
      'an unknown predicate',
      '- a: {try: {steps: [{x: {return: 1}}]}, retry: {predicate: "${p}", max_retries: 1, backoff: "${retry.default_backoff}"}}',
      /predicate "p" is no subworkflow/,
    ],
    ['for without list', '- a: {for: {value: v, steps: [{x: {return: 1}}]}}', /either in or range/],
    [
      'index of a range',
      '- a: {for: {value: v, index: i, range: [1, 2], steps: [{x: {return: 1}}]}}',
      /index goes with in/,
    ],
    [
      'another exception policy',
      '- a: {parallel: {exception_policy: fail, branches: [{b: {steps: [{x: {next: end}}]}}]}}',
      /only exception_policy/,
    ],
    ['raise with next', '- a: {raise: x, next: end}', /unknown key "next"/],
    ['an alias', '- a: {return: &x 1}\n- b: {return: *x}', /aliases are not supported/],
  ])('%s', async (_, source, message) => {
    expect((await problemsOf(source)).join('\n')).toMatch(message)
  })

  test('with all problems at once, each with its place', async () => {
    const problems = await problemsOf('- a: {next: zz}\n- b: {call: nope}\n- c: {return: "${1 +}"}')
    expect(problems.map(problem => problem.slice(0, 6))).toEqual(['line 1', 'line 2', 'line 3'])
  })
})

describe('limits at deployment', () => {
  test.each([
    ['50 assignments', `- a: {assign: [${steps(50, i => `{x: ${i}}`).join()}]}`, ''],
    [
      '51 assignments',
      `- a: {assign: [${steps(51, i => `{x: ${i}}`).join()}]}`,
      '51 assignments in one step; at most 50',
    ],
    [
      '51 conditions',
      `- a: {switch: [${steps(51, () => '{condition: true, next: end}').join()}]}`,
      '51 conditions',
    ],
    [
      '11 branches',
      `- a: {parallel: {branches: [${steps(11, i => `{b${i}: {steps: [{x: {next: b}}, {b: {assign: [{y: 1}]}}]}}`).join()}]}}`,
      '11 branches',
    ],
    ['128 KB of source', `- a: {return: 1} #${'x'.repeat(128 * 1024)}`, 'at most 128 KB'],
    ['400 characters', `- a: {return: '\${"${'x'.repeat(398)}"}'}`, ''],
    ['401 characters', `- a: {return: '\${"${'x'.repeat(399)}"}'}`, '401 characters; at most 400'],
  ])('%s', async (_, source, message) => expect((await problemsOf(source)).join('\n')).toContain(message))
})

describe('limits while running', () => {
  const grow = (text: number, times: number) => `
- init: {assign: [{s: "${'x'.repeat(text)}"}, {l: []}]}
- f:
    for:
      value: v
      range: [1, ${times}]
      steps:
        - s:
            assign:
              - l: $list.concat(l, s)`
  test('512 KB of variables', async () => {
    expect((await runSteps(grow(1000, 400))).error).toBeUndefined()
    const run = await runSteps(grow(1000, 600))
    expect(run.error?.payload).toEqual({
      message: 'ResourceLimitError: Memory usage limit exceeded',
      tags: ['ResourceLimitError'],
    })
  })

  test('what a loop and a subworkflow leave behind is free again', async () => {
    const more = `sub:\n  steps:\n    - a: {assign: [{s: "${'x'.repeat(100_000)}"}]}\n`
    expect(
      (await runSteps('- f: {for: {value: v, range: [1, 30], steps: [{c: {call: sub}}]}}', {}, more)).error,
    ).toBeUndefined()
  })

  test('256 KB in one string', async () => {
    const run = await runSteps(
      `- init: {assign: [{s: "${'x'.repeat(100_000)}"}]}\n- a:\n    assign:\n      - t: $s + s + s`,
    )
    expect(tagsOf(run)).toEqual(['ResourceLimitError'])
  })

  test('20 calls deep', async () => {
    const more =
      'down:\n  params: [n]\n  steps:\n    - c:\n        switch:\n          - condition: $n == 0\n            return: bottom\n    - d:\n        return: $down(n - 1)\n'
    expect((await runSteps('- r:\n    return: $down(18)', {}, more)).result).toBe('bottom')
    expect(tagsOf(await runSteps('- r:\n    return: $down(19)', {}, more))).toEqual(['RecursionError'])
  })

  test('100,000 steps', async () => {
    const run = await runSteps('- a: {assign: [{x: 1}]}\n- b: {next: a}')
    expect(tagsOf(run)).toEqual(['ResourceLimitError'])
    expect(run.steps).toHaveLength(100_001)
  })
})
