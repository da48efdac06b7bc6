/** Errors: raised, caught, told with their place, and retried. */
import { describe, expect, test } from 'vitest'
import { httpError, raisedError, runWorkflow, tagsOf } from '../support/run-workflow.ts'
import { runSteps, workflowSource } from '../support/workflow-source.ts'

describe('raise and except', () => {
  const caught = (raise: string, then: string) => `
- t:
    try:
      steps:
        - bad:
            ${raise}
    except:
      as: e
      steps:
        - handle:
            ${then}`
  test.each([
    ['a string stays a string', 'raise: boom', 'return: $e', 'boom'],
    ['a map stays a map', 'raise: {code: 55, message: m}', 'return: $e', { code: 55, message: 'm' }],
    ['an error has tags', 'assign: [{x: "${1 // 0}"}]', 'return: $"ZeroDivisionError" in e.tags', true],
    [
      'an error has a message',
      'assign: [{x: "${args.zz}"}]',
      'return: $e.message',
      'KeyError: key not found: zz',
    ],
    [
      'no code unless it is an HTTP error',
      'assign: [{x: "${args.zz}"}]',
      'return: $map.get(e, "code")',
      null,
    ],
  ])('%s', async (_, raise, then, expected) => {
    expect((await runSteps(caught(raise, then))).result).toEqual(expected)
  })

  test('raised again, it keeps its payload and names the new place', async () => {
    const { error } = await runSteps(caught('raise: {code: 55, message: m, tags: [T]}', 'raise: $e'))
    expect(error?.payload).toEqual({ code: 55, message: 'm', tags: ['T'] })
    expect(error?.context).toBe('m\nin step "handle", routine "main", line: 12')
  })

  test('a string that nobody catches', async () => {
    const { error } = await runSteps('- a: {raise: boom}')
    expect(error).toEqual({
      payload: 'boom',
      context: 'RuntimeError: "boom"\nin step "a", routine "main", line: 4',
    })
  })

  test('nested try: the inner except may raise to the outer', async () => {
    const inner = caught('raise: one', 'raise: $e + " two"').trim().replace(/^/gm, '        ')
    const steps = `- outer:\n    try:\n      steps:\n${inner}\n    except:\n      as: f\n      steps:\n        - r:\n            return: $f + " three"`
    expect((await runSteps(steps)).result).toBe('one two three')
  })

  test('a variable first assigned in except is gone after it', async () => {
    const steps = `${caught('raise: x', 'assign: [{y: 1}]')}\n- r:\n    return: $y`
    expect(tagsOf(await runSteps(steps))).toEqual(['KeyError'])
  })

  test('jumps out of except', async () => {
    const steps = `${caught('raise: x', 'next: after')}\n- skipped: {return: 1}\n- after: {return: 2}`
    expect((await runSteps(steps)).result).toBe(2)
  })

  test('the trace has one line per routine, innermost first', async () => {
    const more = 'sub:\n  steps:\n    - deep:\n        steps:\n          - deeper: {raise: {message: m}}\n'
    const { error } = await runSteps('- top: {call: sub}', {}, more)
    expect(error?.context).toBe(
      'm\nin step "deeper", routine "sub", line: 9\nin step "top", routine "main", line: 4',
    )
  })
})

describe('retry', () => {
  const policy = (retry: string) =>
    workflowSource(
      `
- t:
    try:
      call: http.post
      args: {url: "http://x"}
      result: r
    retry: ${retry}
- r:
    return: $r.body`,
      `
retry_404:
  params: [e]
  steps:
    - r:
        return: $e.code == 404
`,
    )
  const custom = (predicate: string) =>
    `{predicate: "\${${predicate}}", max_retries: 3, backoff: {initial_delay: 2, max_delay: 5, multiplier: 2}}`
  const failing = (times: number, error: Error) => ({
    'http.post': (_: unknown, call: number) => {
      if (call < times) throw error
      return { body: 'ok' }
    },
  })

  test.each([
    ['$http.default_retry', 2, httpError(503), 'ok', [1, 1.25]],
    ['$http.default_retry', 5, httpError(502), 'ok', [1, 1.25, 1.5625, 1.953125, 2.44140625]],
    ['$http.default_retry', 6, httpError(429), '!HttpError', [1, 1.25, 1.5625, 1.953125, 2.44140625]],
    ['$http.default_retry', 1, httpError(500), '!HttpError', []],
    ['$http.default_retry', 1, raisedError('ConnectionError', 'x'), 'ok', [1]],
    ['$http.default_retry', 1, raisedError('TimeoutError', 'x'), 'ok', [1]],
    ['$http.default_retry_non_idempotent', 1, httpError(503), 'ok', [1]],
    ['$http.default_retry_non_idempotent', 1, httpError(502), '!HttpError', []],
    ['$http.default_retry_non_idempotent', 1, raisedError('ConnectionError', 'x'), '!ConnectionError', []],
    ['$http.default_retry_non_idempotent', 1, raisedError('ConnectionFailedError', 'x'), 'ok', [1]],
    [custom('retry_404'), 3, httpError(404), 'ok', [2, 4, 5]],
    [custom('retry_404'), 4, httpError(404), '!HttpError', [2, 4, 5]],
    [custom('retry_404'), 1, httpError(500), '!HttpError', []],
    [custom('retry.always'), 1, httpError(500), 'ok', [2]],
    [custom('retry.never'), 1, httpError(503), '!HttpError', []],
    [custom('http.default_retry_predicate'), 1, httpError(503), 'ok', [2]],
  ])('%s, %i failures', async (retry, times, error, expected, slept) => {
    const result = await runWorkflow(policy(retry), {}, failing(times, error))
    expect(result.error ? `!${String(tagsOf(result)[0])}` : result.result).toBe(expected)
    expect(result.slept).toEqual(slept)
  })

  test('runs the whole block again', async () => {
    const source = workflowSource(`
- init: {assign: [{n: 0}]}
- t:
    try:
      steps:
        - count:
            assign:
              - n: $n + 1
        - post: {call: http.post, args: {url: "http://x"}}
    retry: $http.default_retry
- r:
    return: $n`)
    expect((await runWorkflow(source, {}, failing(2, httpError(503)))).result).toBe(3)
  })
})
