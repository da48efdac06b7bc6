/** The standard library, function by function. */
import { describe, expect, test } from 'vitest'
import { calculate } from '../support/calculate.ts'
import { FAKE_START, runWorkflow } from '../support/run-workflow.ts'

type Row = readonly [expression: string, expected: unknown]

const TABLES: Readonly<Record<string, readonly Row[]>> = {
  helpers: [
    ['int("42")', 42],
    ['int(2.7)', 2],
    ['int(-2.7)', -2],
    ['int("x")', '!ValueError'],
    ['int(none)', '!TypeError'],
    ['double("2.5")', 2.5],
    ['get_type(double(2))', 'double'],
    ['double("x")', '!ValueError'],
    ['string(42)', '42'],
    ['string(1.7)', '1.7'],
    ['string(true)', 'true'],
    ['string(map)', '!TypeError'],
    ['string(none)', '!TypeError'],
    ['keys(map)', ['a', 'b c', 'deep', 'nothing']],
    ['keys(list)', '!TypeError'],
    ['len(s)', 5],
    ['len("😀")', 1],
    ['len(list)', 3],
    ['len(map)', 4],
    ['len(n)', '!TypeError'],
    ['default(none, 5)', 5],
    ['default(false, 5)', false],
    ['default(map.get(map, "zz"), "d")', 'd'],
    ['default(map.zz, 1)', '!KeyError'],
    ['if(n > 5, "big", "small")', 'big'],
    ['if(none, 1, 2)', 2],
    ['if(n, 1, 2)', '!TypeError'],
    ['get_type(text.encode("x"))', 'bytes'],
    ['get_type(none)', 'null'],
    ['get_type(list)', 'list'],
    ['get_type(map)', 'map'],
    ['get_type(yes)', 'boolean'],
    ['get_type(s)', 'string'],
  ],
  text: [
    ['text.substring(s, 1, 3)', 'él'],
    ['text.substring(s, 0, 5)', 'héllo'],
    ['text.substring(s, 2, 9)', '!IndexError'],
    ['text.substring(s, 3, 2)', '!IndexError'],
    ['text.split("a,b,,c", ",")', ['a', 'b', '', 'c']],
    ['text.to_upper(s)', 'HÉLLO'],
    ['text.to_lower("ÀB")', 'àb'],
    ['text.replace_all("aXbX", "X", "$&")', 'a$&b$&'],
    ['text.replace_all_regex("2026-11-30", "(\\\\d+)-(\\\\d+)", "\\\\2/\\\\1")', '11/2026-30'],
    ['text.match_regex("abc", "^a.c$")', true],
    ['text.match_regex("ABC", "(?i)abc")', true],
    ['text.match_regex("abc", "^b")', false],
    ['text.match_regex("x", "(?=x)")', '!ValueError'],
    ['text.match_regex("x", "(")', '!ValueError'],
    [
      'text.find_all("xaxa", "a")',
      [
        { index: 1, match: 'a' },
        { index: 3, match: 'a' },
      ],
    ],
    [
      'text.find_all_regex("é1 22", "[0-9]+")',
      [
        { index: 1, match: '1' },
        { index: 3, match: '22' },
      ],
    ],
    ['text.url_encode("a b/c?é!")', 'a%20b%2Fc%3F%C3%A9%21'],
    ['text.url_encode_plus("a b")', 'a+b'],
    ['text.url_decode("a%20b+c")', 'a b c'],
    ['text.url_decode("%zz")', '!ValueError'],
    ['text.decode(text.encode("é"))', 'é'],
    ['text.decode("x")', '!TypeError'],
    ['text.decode(base64.decode("/w=="))', '!ValueError'],
    ['text.to_upper(n)', '!TypeError'],
  ],
  data: [
    ['json.decode("{\\"a\\": [1, 2.0, null]}")', { a: [1, 2, null] }],
    ['get_type(json.decode("2.0"))', 'double'],
    ['get_type(json.decode("2"))', 'integer'],
    ['json.decode("9007199254740993")', 9007199254740993n],
    ['json.decode(text.encode("true"))', true],
    ['json.decode("{")', '!ValueError'],
    ['json.encode_to_string(map)', '{"a":1,"b c":2,"deep":{"er":{"x":"y"}},"nothing":null}'],
    ['json.encode_to_string(big)', '9223372036854775807'],
    ['json.encode_to_string(text.encode("x"))', '!TypeError'],
    ['text.decode(json.encode(list))', '[10,20,[30,31]]'],
    ['base64.encode(text.encode("hi"))', 'aGk='],
    ['base64.encode(text.encode("hi"), false)', 'aGk'],
    ['text.decode(base64.decode("aGk="))', 'hi'],
    ['text.decode(base64.decode("aGk", false))', 'hi'],
    ['base64.decode("aGk")', '!ValueError'],
    ['base64.decode("*")', '!ValueError'],
    ['base64.encode("hi")', '!TypeError'],
    ['base64.encode(hash.compute_checksum(text.encode("a"), "MD5"))', 'DMF1ucDxtqgxw5niaXcmYQ=='],
    [
      'base64.encode(hash.compute_checksum(text.encode("a"), "SHA256"))',
      'ypeBEsobvcr6wjGzmiPcTaeG7/gUfE5yuYB3ha/uSLs=',
    ],
    [
      // RFC 2202, test case 2.
      'base64.encode(hash.compute_hmac(text.encode("Jefe"), text.encode("what do ya want for nothing?"), "SHA1"))',
      '7/zfauXrL6LSdBbV8YTfnCWafHk=',
    ],
    ['hash.compute_checksum(text.encode("a"), "CRC")', '!ValueError'],
    ['len(uuid.generate())', 36],
  ],
  collections: [
    ['list.concat(list, [4])', [10, 20, [30, 31], [4]]],
    ['list.prepend(list, 1)', [1, 10, 20, [30, 31]]],
    ['list.concat(none, 1)', '!TypeError'],
    ['map.get(map, "a")', 1],
    ['map.get(map, "zz")', null],
    ['map.get(map, ["deep", "er", "x"])', 'y'],
    ['map.get(map, ["deep", "zz", "x"])', null],
    ['map.get(map, ["a", "b"])', null],
    ['map.get(map, "zz", 9)', 9],
    ['map.get(map, 1)', '!TypeError'],
    ['map.get(none, "a")', '!TypeError'],
    ['map.delete(map.deep, "er")', {}],
    ['map.merge(map.deep, map.deep.er)', { er: { x: 'y' }, x: 'y' }],
    ['map.merge_nested(map, map.deep).er', { x: 'y' }],
    [
      'map.merge_nested(json.decode("{\\"d\\":{\\"a\\":1,\\"b\\":1}}"), json.decode("{\\"d\\":{\\"b\\":2}}"))',
      { d: { a: 1, b: 2 } },
    ],
    ['math.abs(-3)', 3],
    ['math.abs(-3.5)', 3.5],
    ['math.floor(2.7)', 2],
    ['math.floor(-2.1)', -3],
    ['get_type(math.floor(2.7))', 'integer'],
    ['math.max(1, 2.5)', 2.5],
    ['math.min(1, 2.5)', 1],
    ['math.max("a", 1)', '!TypeError'],
  ],
  time: [
    ['sys.now()', FAKE_START / 1000],
    ['sys.get_env("GREETING")', 'hi'],
    ['sys.get_env("NONE")', '!KeyError'],
    ['sys.get_env("NONE", "d")', 'd'],
    ['time.format(0)', '1970-01-01T00:00:00Z'],
    ['time.format(1.5)', '1970-01-01T00:00:01.5Z'],
    ['time.format(1767225600, "Asia/Kolkata")', '2026-01-01T05:30:00+05:30'],
    ['time.format(1767225600, "America/New_York")', '2025-12-31T19:00:00-05:00'],
    ['time.format(0, "Mars/Base")', '!ValueError'],
    ['time.parse("1970-01-01T00:00:01.25Z")', 1.25],
    ['time.parse("1970-01-01T01:00:00+01:00")', 0],
    ['time.parse("yesterday")', '!ValueError'],
    ['retry.default_backoff.max_delay', 60],
  ],
}

describe.each(Object.entries(TABLES))('%s', (_, rows) => {
  test.each(rows)('%s', async (expression, expected) => {
    expect(await calculate(expression)).toEqual(expected)
  })
})

const step = (call: string, args: object) =>
  JSON.stringify([{ a: { call, args, result: 'r' } }, { b: { return: `\${r}` } }])

test('functions are called by the names of their parameters in a step', async () => {
  const args = { source: 'a-b', separator: '-' }
  expect((await runWorkflow(step('text.split', args))).result).toEqual(['a', 'b'])
})

test.each([
  ['sys.sleep', { seconds: 90 }, [90]],
  ['sys.sleep', { seconds: 0 }, []],
  ['sys.sleep_until', { time: '2026-01-01T00:01:00Z' }, [60]],
  ['sys.sleep_until', { time: '2025-01-01T00:00:00Z' }, []],
])('%s %j', async (call, args, slept) => {
  expect((await runWorkflow(step(call, args))).slept).toEqual(slept)
})

test.each([
  [{ text: 'hello' }, [{ severity: 'DEFAULT', data: 'hello' }]],
  [{ json: { a: 1 }, severity: 'ERROR' }, [{ severity: 'ERROR', data: { a: 1 } }]],
  [{ data: [1], severity: 'INFO' }, [{ severity: 'INFO', data: [1] }]],
])('sys.log %j', async (args, logs) => {
  expect((await runWorkflow(step('sys.log', args))).logs).toEqual(logs)
})

test.each([
  ['events.create_callback_endpoint', { http_callback_method: 'POST' }, /not served here/],
  ['experimental.executions.run', { workflow_id: 'x' }, /not served here/],
  ['text.split', { source: 'a', sep: ',' }, /text.split has no argument "sep"; it takes: source, separator/],
  ['text.split', { source: 'a' }, /text.split needs the argument "separator"/],
  ['googleapis.run.v2.projects.locations.jobs.run', {}, /connector googleapis.run.* is not served here/],
])('%s is refused at deployment', async (call, args, message) => {
  await expect(runWorkflow(step(call, args))).rejects.toThrow(message)
})
