/** Expressions: precedence, types, conversions and errors, row by row. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { calculate } from '../support/calculate.ts'

type Row = readonly [expression: string, expected: unknown]

const TABLES: Readonly<Record<string, readonly Row[]>> = {
  literals: [
    ['1', 1],
    ['9223372036854775807', 9223372036854775807n],
    ['1.5', 1.5],
    ['1e3', 1000],
    ['"a"', 'a'],
    ["'a'", 'a'],
    ['"a\\"b"', 'a"b'],
    ['"\\u00e9\\n"', 'é\n'],
    ['true', true],
    ['True', true],
    ['TRUE', true],
    ['False', false],
    ['null', null],
    ['[1, "x", [2]]', [1, 'x', [2]]],
    ['[]', []],
  ],
  // https://cloud.google.com/workflows/docs/reference/syntax/datatypes#order-operations
  precedence: [
    ['1 + 2 * 3', 7],
    ['(1 + 2) * 3', 9],
    ['2 * 3 % 4', 2],
    ['10 - 2 - 3', 5],
    ['100 // 7 // 2', 7],
    ['-2 * 3', -6],
    ['-n + 1', -6],
    ['2 - -2', 4],
    ['1 + 1 == 2', true],
    ['1 < 2 == true', true],
    ['not yes == false', true],
    ['not (yes == false)', true],
    ['not yes or yes', true],
    ['not(yes or yes)', false],
    ['true or false and false', true],
    ['(true or false) and false', false],
    ['1 + 1 in [2]', true],
    ['not("zz" in map)', true],
    ['not "a" in map', '!TypeError'],
    ['true AND NOT false OR false', true],
    ['list[1 + 1][0] + 1', 31],
    ['map.deep.er.x + "!"', 'y!'],
    ['-list[0]', -10],
    ['not map["a"] == 2', '!TypeError'],
  ],
  arithmetic: [
    ['7 / 2', 3.5],
    ['8 / 2', 4],
    ['get_type(8 / 2)', 'double'],
    ['7 // 2', 3],
    ['-7 // 2', -4],
    ['7 % 3', 1],
    ['-7 % 3', 2],
    ['7.5 // 2', 3],
    ['7.5 % 2', 1.5],
    ['1 + 0.5', 1.5],
    ['get_type(1 + 1)', 'integer'],
    ['get_type(1 + 1.0)', 'double'],
    ['0.1 + 0.2', 0.1 + 0.2],
    ['1 / 0', '!ZeroDivisionError'],
    ['1 // 0', '!ZeroDivisionError'],
    ['1 % 0', '!ZeroDivisionError'],
    ['1.0 / 0.0', '!ZeroDivisionError'],
    ['big + 1', '!ValueError'],
    ['big * 2', '!ValueError'],
    ['-big - 2', '!ValueError'],
    ['big - 1', 9223372036854775806n],
    ['"a" * 2', '!TypeError'],
    ['none + 1', '!TypeError'],
    ['-s', '!TypeError'],
    ['list + list', '!TypeError'],
  ],
  // https://cloud.google.com/workflows/docs/reference/syntax/datatypes#implicit-conversions
  concatenation: [
    ['"a" + "b"', 'ab'],
    ['"a" + 1', 'a1'],
    ['1 + "a"', '1a'],
    ['"a" + 1.5', 'a1.5'],
    ['"a" + true', 'atrue'],
    ['false + "a"', 'falsea'],
    ['true + 1', '!TypeError'],
    ['true + true', '!TypeError'],
    ['"a" + none', '!TypeError'],
    ['"a" + map', '!TypeError'],
    ['"a" - "a"', '!TypeError'],
  ],
  comparison: [
    ['1 == 1.0', true],
    ['1 != 2', true],
    ['1 == "1"', false],
    ['none == null', true],
    ['none == 0', false],
    ['none != false', true],
    ['[1, [2]] == [1.0, [2]]', true],
    ['map == map', true],
    ['map.deep == map', false],
    ['2 > 1.5', true],
    ['2 >= 2', true],
    ['big > 9223372036854775806', true],
    ['"a" < "b"', true],
    ['"Z" < "a"', true],
    ['1 < "2"', '!TypeError'],
    ['none < 1', '!TypeError'],
    ['true < false', '!TypeError'],
    ['[1] < [2]', '!TypeError'],
  ],
  membership: [
    ['"a" in map', true],
    ['"zz" in map', false],
    ['"nothing" in map', true],
    ['20 in list', true],
    ['20.0 in list', true],
    ['[30, 31] in list', true],
    ['"x" in none', '!TypeError'],
    ['"h" in s', '!TypeError'],
    ['1 in map', '!TypeError'],
  ],
  logic: [
    ['yes and false', false],
    ['false and none', false],
    ['yes or none.x', true],
    ['yes and none', '!TypeError'],
    ['1 or yes', '!TypeError'],
    ['not none', '!TypeError'],
    ['not "x"', '!TypeError'],
  ],
  access: [
    ['map.a', 1],
    ['map["b c"]', 2],
    ['map.deep["er"].x', 'y'],
    ['map.nothing', null],
    ['map.zz', '!KeyError'],
    ['map["zz"]', '!KeyError'],
    ['map[1]', '!TypeError'],
    ['list[0]', 10],
    ['list[3]', '!IndexError'],
    ['list[-1]', '!IndexError'],
    ['list["0"]', '!TypeError'],
    ['list[0.0]', '!TypeError'],
    ['s[0]', '!TypeError'],
    ['none.x', '!TypeError'],
    ['n.x', '!TypeError'],
  ],
}

describe.each(Object.entries(TABLES))('%s', (_, rows) => {
  test.each(rows)('%s', async (expression, expected) => {
    expect(await calculate(expression)).toEqual(expected)
  })
})

describe('malformed expressions are refused with the place', () => {
  test.each([
    ['1 +', /ends too early.*character 4/],
    ['(1', /ends too early, expected \)/],
    ['"a', /string is not closed.*character 1/],
    ['"\\q"', /unknown escape \\q/],
    ['1 2', /unexpected "2"/],
    ['a..b', /expected a key/],
    ['"a" not in map', /not an operator of Workflows/],
    ['1 = 2', /unexpected character "="/],
    ['and', /unexpected "and"/],
    ['(1)(2)', /only a named function/],
    ['9223372036854775808', /does not fit/],
    ['', /ends too early/],
    ['zz + 1', /variable "zz" is never assigned/],
    ['nothing.there(1)', /no function or subworkflow "nothing.there"/],
    ['len()', /len takes 1 to 1 arguments, not 0/],
    ['http.get("http://x")', /http.get blocks/],
    [`"${'x'.repeat(399)}"`, /401 characters; at most 400/],
  ])('%s', async (expression, message) => {
    await expect(calculate(expression)).rejects.toThrow(message)
  })
})

test('int arithmetic agrees with 64-bit arithmetic, or says that it overflows', async () => {
  const int = fc.bigInt(-(2n ** 63n) + 1n, 2n ** 63n - 1n)
  await fc.assert(
    fc.asyncProperty(int, int, fc.constantFrom('+', '-', '*'), async (a, b, operator) => {
      const exact = operator === '+' ? a + b : operator === '-' ? a - b : a * b
      const fits = BigInt.asIntN(64, exact) === exact
      const expected = Number.isSafeInteger(Number(exact)) ? Number(exact) : exact
      expect(await calculate(`(${a}) ${operator} (${b})`)).toEqual(fits ? expected : '!ValueError')
    }),
    { numRuns: 200 },
  )
})

test('a // b and a % b make a again', async () => {
  const int = fc.integer({ min: -1000, max: 1000 })
  await fc.assert(
    fc.asyncProperty(int, int, async (a, b) => {
      fc.pre(b !== 0)
      expect(await calculate(`(${a} // ${b}) * ${b} + ${a} % ${b}`)).toBe(a)
    }),
    { numRuns: 100 },
  )
})
