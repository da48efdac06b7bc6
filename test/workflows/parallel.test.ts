/** Parallel steps: shared variables, limits, and the errors of branches. */
import { describe, expect, test } from 'vitest'
import { runWorkflow, tagsOf } from '../support/run-workflow.ts'
import { runSteps, workflowSource } from '../support/workflow-source.ts'

describe('parallel', () => {
  test('branches write shared variables', async () => {
    const result = await runSteps(`
- init: {assign: [{a: 0}, {b: 0}]}
- p:
    parallel:
      shared: [a, b]
      branches:
        - left: {steps: [{x: {assign: [{a: 1}, {own: 1}]}}]}
        - right: {steps: [{x: {assign: [{b: 2}, {own: 2}]}}]}
- r:
    return: ["\${a}", "\${b}"]`)
    expect(result.result).toEqual([1, 2])
  })

  test('a variable that is not shared cannot be written', async () => {
    const result = await runSteps(
      '- init: {assign: [{a: 0}]}\n- p: {parallel: {branches: [{x: {steps: [{y: {assign: [{a: 1}]}}]}}]}}',
    )
    expect(tagsOf(result)).toEqual(['UnhandledBranchError'])
    expect(JSON.stringify(result.error?.payload)).toContain('list it under shared')
  })

  test('every branch runs to its end; then the errors are raised as one', async () => {
    const result = await runSteps(`
- init: {assign: [{done: {}}]}
- t:
    try:
      steps:
        - p:
            parallel:
              shared: [done]
              for:
                value: v
                range: [1, 4]
                steps:
                  - odd:
                      switch:
                        - condition: $v % 2 == 1
                          raise: $"odd " + v
                  - note:
                      assign:
                        - done["n" + v]: true
    except:
      as: e
      steps:
        - r:
            return: ["\${done}", "\${e.tags}", "\${e.branches[1].error.payload}", "\${e.truncated}"]`)
    expect(result.result).toEqual([{ n2: true, n4: true }, ['UnhandledBranchError'], 'odd 3', false])
  })

  test('at most concurrency_limit iterations run at once', async () => {
    let [running, most] = [0, 0]
    const source = workflowSource(`
- p:
    parallel:
      concurrency_limit: 3
      for:
        value: v
        range: [1, 12]
        steps:
          - post: {call: http.post, args: {url: "http://x"}}`)
    await runWorkflow(
      source,
      {},
      {
        'http.post': async () => {
          most = Math.max(most, ++running)
          await new Promise(resolve => setImmediate(resolve))
          running--
          return {}
        },
      },
    )
    expect(most).toBe(3)
  })

  test('nesting three deep raises ParallelNestingError', async () => {
    const nest = (inner: string) => `{p: {parallel: {branches: [{x: {steps: [${inner}]}}]}}}`
    const result = await runSteps(`- ${nest(nest(nest('{y: {assign: [{z: 1}]}}')))}`)
    expect(JSON.stringify(result.error?.payload)).toContain('ParallelNestingError')
  })
})
