/** What the kinds of steps mean: assignments, jumps, loops, subworkflows. */
import { describe, expect, test } from 'vitest'
import { tagsOf } from '../support/run-workflow.ts'
import { runSteps } from '../support/workflow-source.ts'

describe('assign', () => {
  test.each([
    ['in order', '- a: {assign: [{x: 1}, {x: "${x + 1}"}]}\n- r:\n    return: $x', 2],
    [
      'makes missing maps',
      '- a: {assign: [{m: {}}, {m.a.b: 1}, {"m[\\"c d\\"]": 2}]}\n- r:\n    return: $m',
      { a: { b: 1 }, 'c d': 2 },
    ],
    ['makes a missing variable', '- a: {assign: [{m.a: 1}]}\n- r:\n    return: $m', { a: 1 }],
    ['to an element', '- a: {assign: [{l: [1, 2]}, {i: 0}, {"l[i + 1]": 5}]}\n- r:\n    return: $l', [1, 5]],
    ['copies maps', '- a: {assign: [{m: {k: 1}}, {n: "${m}"}, {n.k: 2}]}\n- r:\n    return: $m', { k: 1 }],
    ['nested templates', '- a: {assign: [{m: {k: ["${1 + 1}", x]}}]}\n- r:\n    return: $m', { k: [2, 'x'] }],
  ])('%s', async (_, steps, expected) => expect((await runSteps(steps)).result).toEqual(expected))

  test('beyond the end of a list raises IndexError', async () => {
    expect(tagsOf(await runSteps('- a: {assign: [{l: []}, {"l[0]": 1}]}'))).toEqual(['IndexError'])
  })
})

describe('switch, next and steps', () => {
  const steps = `
- start:
    switch:
      - condition: $args.n == 1
        next: one
      - condition: $args.n == 2
        return: two
      - condition: $args.n == 3
        steps:
          - inner: {assign: [{x: 3}]}
          - out: {next: last}
      - condition: $args.n == 4
        assign: [{x: 4}]
    next: last
- one:
    return: one
- last:
    return: $default(map.get(args, "x"), x)`
  test.each([
    [1, 'one'],
    [2, 'two'],
    [3, 3],
    [4, 4],
  ])('case %i', async (n, expected) => expect((await runSteps(steps, { n })).result).toBe(expected))

  test('no case holds: the switch goes to its own next', async () => {
    expect(tagsOf(await runSteps(steps, { n: 5 }))).toEqual(['KeyError'])
  })

  test('next: end ends without a value', async () => {
    expect((await runSteps('- a: {next: end}\n- b: {return: 1}')).result).toBeNull()
  })

  test('jumps backwards, and out of nested steps', async () => {
    const result = await runSteps(`
- init: {assign: [{i: 0}]}
- again:
    steps:
      - add:
          assign:
            - i: $i + 1
      - more:
          switch:
            - condition: $i < 4
              next: again
- r:
    return: $i`)
    expect(result.result).toBe(4)
  })

  test('a condition that is no boolean raises TypeError', async () => {
    expect(tagsOf(await runSteps('- a: {switch: [{condition: 1, next: end}]}'))).toEqual(['TypeError'])
  })
})

describe('for', () => {
  const sum = (over: string, body = '') => `
- init: {assign: [{sum: 0}]}
- loop:
    for:
      value: v
      ${over}
      steps:${body}
        - add:
            assign:
              - sum: $sum + v
              - local: 1
- r:
    return: $sum`
  test.each([
    ['a list', sum('in: [1, 2, 3]'), 6],
    ['an empty list', sum('in: []'), 0],
    ['a range with both ends', sum('range: [1, 4]'), 10],
    ['an empty range', sum('range: [4, 1]'), 0],
    [
      'break',
      sum(
        'range: [1, 9]',
        '\n        - stop:\n            switch:\n              - condition: $v > 3\n                next: break',
      ),
      6,
    ],
    [
      'continue',
      sum(
        'range: [1, 4]',
        '\n        - skip:\n            switch:\n              - condition: $v == 2\n                next: continue',
      ),
      8,
    ],
    ['keys of a map', sum('in: $keys(args.m)').replace('sum: 0', 'sum: ""'), 'ab'],
  ])('%s', async (_, steps, expected) => {
    expect((await runSteps(steps, { m: { a: 1, b: 2 } })).result).toBe(expected)
  })

  test('index counts from 0', async () => {
    const steps =
      '- init: {assign: [{l: []}]}\n- f:\n    for:\n      value: v\n      index: i\n      in: [a, b]\n      steps:\n        - s:\n            assign:\n              - l: $list.concat(l, [i, v])\n- r:\n    return: $l'
    expect((await runSteps(steps)).result).toEqual([
      [0, 'a'],
      [1, 'b'],
    ])
  })

  test('a variable first assigned in the loop is gone after it', async () => {
    const result = await runSteps(`${sum('in: [1]').replace('return: $sum', 'return: $local')}`)
    expect(tagsOf(result)).toEqual(['KeyError'])
  })

  test('a map is no list', async () =>
    expect(tagsOf(await runSteps(sum('in: {a: 1}')))).toEqual(['TypeError']))
})

describe('subworkflows', () => {
  const more =
    'add:\n  params: [a, b: 5]\n  steps:\n    - r:\n        return: $a + b\nnothing:\n  steps:\n    - a: {next: end}\n    - b: {return: 1}\n'
  test.each([
    ['by name', '- c: {call: add, args: {a: 1, b: 2}, result: x}\n- r:\n    return: $x', 3],
    ['with a default', '- c: {call: add, args: {a: 1}, result: x}\n- r:\n    return: $x', 6],
    ['in an expression', '- r:\n    return: $add(1, 2) * add(1)', 18],
    ['without a value', '- c: {call: nothing, result: x}\n- r:\n    return: $x', null],
  ])('called %s', async (_, steps, expected) =>
    expect((await runSteps(steps, {}, more)).result).toBe(expected),
  )

  test('see none of the caller’s variables', async () => {
    await expect(
      runSteps('- a: {assign: [{x: 1}]}\n- b: {call: s}', {}, 's:\n  steps:\n    - r:\n        return: $x\n'),
    ).rejects.toThrow(/s: variable "x" is never assigned/)
  })
})

test('the argument is the one parameter of main; without one it is null', async () => {
  expect((await runSteps('- r:\n    return: $args', { a: [1, 2.5, 'x'] })).result).toEqual({
    a: [1, 2.5, 'x'],
  })
  expect((await runSteps('- r:\n    return: $args', null)).result).toBeNull()
})
