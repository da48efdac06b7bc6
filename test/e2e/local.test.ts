/** `freshet local` as a process: prints where it is, is asked by others meanwhile, ends on Ctrl-C and leaves nothing behind. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runCli } from '../cli/run-cli.ts'

const root = mkdtempSync(join(tmpdir(), 'freshet-local-'))
const dir = join(root, 'cloud')
let child: ChildProcess
let printed: { urls: Record<string, string>; inbox: string; env: Record<string, string> }

beforeAll(async () => {
  mkdirSync(join(root, 'feeds'))
  const args = ['cli/freshet.mjs', 'local', '--dir', dir, '--feeds', join(root, 'feeds'), '--json']
  child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] })
  if (!child.stdout) throw new Error('no stdout')
  const [line] = await once(createInterface(child.stdout), 'line')
  printed = JSON.parse(line)
})
afterAll(() => {
  child.kill('SIGKILL')
  rmSync(root, { recursive: true, force: true })
})

test('it prints addresses that answer', async () => {
  const answer = await fetch(`${printed.urls.storage}/storage/v1/b/${printed.inbox}`)
  expect(await answer.json()).toMatchObject({ kind: 'storage#bucket', name: printed.inbox })
  expect(printed.env).toMatchObject({
    GOOGLE_CLOUD_PROJECT: 'freshet-local',
    METADATA_SERVER_DETECTION: 'none',
  })
})

test('a query asks the process that runs', async () => {
  const { exit, stdout } = await runCli('query', 'SELECT 6 * 7 AS answer', '--dir', dir, '--format', 'csv')
  expect({ exit, stdout }).toEqual({ exit: 0, stdout: 'answer\n42\n' })
})

test('a second one in the same directory is refused', async () => {
  const { exit, stderr } = await runCli('local', '--dir', dir, '--feeds', join(root, 'feeds'))
  expect(exit).toBe(1)
  expect(stderr).toContain('already runs')
})

test('Ctrl-C ends it with 0, and the directory is free again', async () => {
  child.kill('SIGINT')
  expect(await once(child, 'exit')).toEqual([0, null])
  expect(existsSync(join(dir, 'cloud.json'))).toBe(false)
  expect(existsSync(join(dir, 'lock'))).toBe(false)
})
