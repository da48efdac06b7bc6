/** What a user meets before anything runs: help, wrong use, exit codes, results apart from talk. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runCli } from './run-cli.ts'

const CITIES = 'feeds/cities.yaml'
const COMMANDS = [
  'try',
  'query',
  'plan',
  'validate',
  'local',
  'estimate',
  'status',
  'approve',
  'reject',
  'rollback',
]
let dir: string

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'freshet-test-'))
  for (const name of ['2026-07-01', '2026-07-02', 'july']) mkdirSync(join(dir, name))
  writeFileSync(join(dir, '2026-07-01/a.ndjson.gz'), 'anything')
  writeFileSync(join(dir, 'july/a.ndjson.gz'), 'anything')
  mkdirSync(join(dir, '2026-07-03'))
  writeFileSync(join(dir, '2026-07-03/a.parquet'), 'anything')
  writeFileSync(join(dir, 'bad.yaml'), 'name: Bad Name\nsource:\n  path: x/{snapshot}/*.csv\n  colour: red\n')
})
afterAll(() => rmSync(dir, { recursive: true }))

test('help names every command and the exit codes, on stdout', async () => {
  const { exit, stdout, stderr } = await runCli('--help')
  expect(exit).toBe(0)
  expect(stderr).toBe('')
  for (const command of COMMANDS) expect(stdout).toMatch(new RegExp(`^  ${command} `, 'm'))
  expect(stdout).toContain('Exit codes: 0 done, 1 failed, 2 wrong use, 3 held or rejected.')
})

test.each(COMMANDS)('help of %s has examples', async command => {
  const { exit, stdout } = await runCli(command, '--help')
  expect(exit).toBe(0)
  expect(stdout).toContain(`  $ freshet ${command}`)
})

describe('wrong use ends with 2 and a word about it', () => {
  test.each([
    { name: 'no command', args: [], says: 'Usage' },
    { name: 'unknown command', args: ['fly'], says: "unknown command 'fly'" },
    { name: 'unknown option', args: ['validate', CITIES, '--loud'], says: "unknown option '--loud'" },
    { name: 'missing argument', args: ['try', CITIES], says: 'SNAPSHOT_DIR' },
    { name: 'query without a directory', args: ['query', 'SELECT 1'], says: '--dir' },
    {
      name: 'query in no directory',
      args: ['query', 'SELECT 1', '--dir', '/no/such'],
      says: 'no directory that Freshet',
    },
    { name: 'unknown format', args: ['query', 'SELECT 1', '--dir', '.', '--format', 'xml'], says: 'xml' },
    { name: 'no such feed file', args: ['validate', '/no/such.yaml'], says: 'it is not there' },
    { name: 'no such snapshot', args: ['plan', CITIES, '/no/2026-07-01'], says: 'it is not there' },
    { name: 'empty snapshot', args: ['plan', CITIES, '2026-07-02'], says: 'there is no file' },
    { name: 'name is no id', args: ['plan', CITIES, 'july'], says: 'july is no snapshot id' },
    { name: 'no file matches', args: ['plan', CITIES, '2026-07-03'], says: 'matches cities/{snapshot}' },
  ])('$name', async ({ args, says }) => {
    const known = args.map(arg => (/^(2026|july)/.test(arg) ? join(dir, arg) : arg))
    const { exit, stdout, stderr } = await runCli(...known)
    expect(stderr).toContain(says)
    expect(stdout).toBe('')
    expect(exit).toBe(2)
  })
})

describe('validate', () => {
  test('says nothing on stdout when all is well', async () => {
    expect(await runCli('validate', CITIES)).toEqual({ exit: 0, stdout: '', stderr: '1 file, no problem\n' })
  })

  test('tells every problem of every file with its line, and ends with 1', async () => {
    const { exit, stdout } = await runCli('validate', join(dir, 'bad.yaml'), CITIES)
    expect(exit).toBe(1)
    expect(stdout).toMatch(/bad\.yaml:1: name: /)
    expect(stdout).toMatch(/bad\.yaml:4: source\.colour: /)
  })

  test('feeds that share a name or a target clash', async () => {
    const text = readFileSync(CITIES, 'utf8')
    const [twin, rival] = [join(dir, 'twin.yaml'), join(dir, 'rival.yaml')]
    writeFileSync(twin, text)
    writeFileSync(rival, text.replace('name: cities', 'name: towns'))
    const { exit, stdout } = await runCli('validate', CITIES, twin, rival)
    expect(exit).toBe(1)
    expect(stdout).toContain(`twin.yaml:1: name: is cities, as in ${CITIES}. `)
    expect(stdout).toContain(`rival.yaml:1: table.name: is geo.cities, as in ${CITIES}. `)
  })

  test('--json gives one object a problem', async () => {
    const { stdout } = await runCli('validate', join(dir, 'bad.yaml'), '--json')
    const problems = stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    expect(problems).toContainEqual(expect.objectContaining({ path: 'source.colour', line: 4 }))
  })
})

describe('plan', () => {
  test('prints each stage and its SQL', async () => {
    const { exit, stdout } = await runCli('plan', CITIES, join(dir, '2026-07-01'))
    expect(exit).toBe(0)
    for (const stage of ['load', 'inspect', 'append', 'deduplicate', 'save', 'clone', 'announce'])
      expect(stdout).toMatch(new RegExp(`^${stage}$`, 'm'))
    expect(stdout).toContain('QUALIFY ROW_NUMBER() OVER')
  })

  test('--json is the plan itself, the same each time', async () => {
    const first = await runCli('plan', CITIES, join(dir, '2026-07-01'), '--json')
    const second = await runCli('plan', CITIES, join(dir, '2026-07-01'), '--json')
    expect(second.stdout).toBe(first.stdout)
    expect(JSON.parse(first.stdout)).toMatchObject({ feed: 'cities', strategy: 'rewrite' })
  })
})
