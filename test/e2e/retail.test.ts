/** The retail example, from files to the served table: a row changes, a row is missing and kept, a row is new. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { runCli } from '../cli/run-cli.ts'

const cases = fileURLToPath(new URL('../cases/retail/', import.meta.url))
const dir = mkdtempSync(join(tmpdir(), 'freshet-retail-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

async function readTarget(): Promise<string[]> {
  const sql = 'SELECT * FROM retail.store_attributes ORDER BY date, product_id, store_id, attribute_id'
  const { stdout } = await runCli('query', sql, '--dir', dir, '--format', 'csv')
  return stdout.trim().split('\n').slice(1)
}
const send = (snapshot: string) =>
  runCli('try', join(cases, 'store-attributes.yaml'), join(cases, snapshot), '--dir', dir, '--json')

test('product 301865 in store 2072', { timeout: 120_000 }, async () => {
  expect((await send('1')).exit).toBe(0)
  expect(await readTarget()).toEqual([
    '2017-04-21,301865,2072,1,20,1',
    '2017-04-21,301865,2072,2,7,1',
    '2017-04-22,301866,2072,1,13,1',
  ])
  const { exit, stdout } = await send('2')
  expect(exit).toBe(0)
  expect(JSON.parse(stdout).rows).toMatchObject({
    before: 3,
    loaded: 3,
    inserted: 1,
    updated: 2,
    kept: 1,
    after: 4,
  })
  expect(await readTarget()).toEqual([
    '2017-04-21,301865,2072,1,25,2',
    '2017-04-21,301865,2072,2,7,1',
    '2017-04-22,301866,2072,1,13,2',
    '2017-04-23,301867,2073,1,5,2',
  ])
})

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
const commands = [...readme.matchAll(/^npx freshet (.*?)(?: +#.*)?$/gm)].map(([, command = '']) => command)
const own = mkdtempSync(join(tmpdir(), 'freshet-readme-'))
afterAll(() => rmSync(own, { recursive: true, force: true }))

test('the README shows every command that needs no held snapshot', () => {
  const shown = commands.map(command => command.split(' ')[0])
  for (const name of ['validate', 'plan', 'try', 'query', 'status', 'rollback', 'estimate', 'local'])
    expect(shown).toContain(name)
})

// Those with names of the reader's own can't be run, nor the one that stays up.
test.each(commands.filter(command => !/yours|SNAPSHOT_DIR|^local/.test(command)))(
  '%s',
  { timeout: 120_000 },
  async command => {
    // What an earlier command left behind would name a deployment that is gone.
    for (const name of Object.keys(process.env)) if (name.startsWith('FRESHET_')) delete process.env[name]
    const words = [...command.replace('.freshet', own).matchAll(/'([^']*)'|(\S+)/g)]
    const { exit, stderr } = await runCli(...words.map(([, quoted, word]) => quoted ?? word ?? ''))
    expect({ exit, stderr: exit === 0 ? '' : stderr }).toEqual({ exit: 0, stderr: '' })
  },
)
