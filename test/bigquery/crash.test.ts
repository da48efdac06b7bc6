import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, expect, test } from 'vitest'
import { openChangeWriter } from '../support/change-writer.ts'

const dir = mkdtempSync(join(tmpdir(), 'freshet-crash-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

/** The service in a process of its own, so that it can be killed. */
async function start() {
  const child = spawn(process.execPath, [resolve('test/support/bigquery-child.ts'), dir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [url] = await Promise.race([
    new Promise<string[]>(done =>
      createInterface({ input: child.stdout }).once('line', line => done([line])),
    ),
    new Promise<string[]>((_, fail) => child.once('exit', code => fail(new Error(`ended with ${code}`)))),
  ])
  const call = async (method: string, path: string, body?: unknown) => {
    const init = body === undefined ? { method } : { method, body: JSON.stringify(body) }
    const response = await fetch(`${url}/bigquery/v2/projects/p${path}`, init)
    return JSON.parse(await response.text())
  }
  const gone = new Promise(done => child.once('exit', done))
  return { url: url ?? '', call, kill: () => child.kill('SIGKILL') && gone }
}

type Service = Awaited<ReturnType<typeof start>>
const count = async ({ call }: Service, table: string) => {
  const answer = await call('POST', '/queries', {
    query: `SELECT COUNT(*) FROM d.${table}`,
    useLegacySql: false,
  })
  return Number(answer.rows[0].f[0].v)
}
const append = (service: Service, jobId: string) =>
  service.call('POST', '/jobs', {
    jobReference: { jobId },
    configuration: {
      query: {
        query: 'SELECT x FROM UNNEST(GENERATE_ARRAY(1, 50000)) AS x',
        useLegacySql: false,
        destinationTable: { projectId: 'p', datasetId: 'd', tableId: 't' },
        writeDisposition: 'WRITE_APPEND',
      },
    },
  })

test('a kill leaves every job done or without effect, and says which', { timeout: 120_000 }, async () => {
  let service = await start()
  await service.call('POST', '/datasets', { datasetReference: { datasetId: 'd' } })
  await service.call('POST', '/queries', { query: 'CREATE TABLE d.t (x INT64)', useLegacySql: false })
  const ids: string[] = []
  for (let round = 0; round < 4; round++) {
    for (let i = 0; i < 4; i++) {
      const id = `append-${round}-${i}`
      await append(service, id)
      ids.push(id)
    }
    // The first is surely done, the last may be under way.
    await service.call('GET', `/queries/append-${round}-0?timeoutMs=20000`)
    await service.kill()
    service = await start()
    let succeeded = 0
    for (const id of ids) {
      const { status } = await service.call('GET', `/jobs/${id}`)
      expect(status.state).toBe('DONE')
      if (status.errorResult) expect(status.errorResult.reason).toBe('stopped')
      else succeeded++
      expect((await append(service, id)).error.code).toBe(409)
    }
    expect(succeeded).toBeGreaterThan(round)
    expect(await count(service, 't')).toBe(succeeded * 50_000)
  }
  await service.kill()
})

test('every change that was answered is there after a kill', { timeout: 120_000 }, async () => {
  let service = await start()
  const query = (text: string) => service.call('POST', '/queries', { query: text, useLegacySql: false })
  await query('CREATE SCHEMA s')
  await query('CREATE TABLE s.t (id INT64, version INT64, PRIMARY KEY (id) NOT ENFORCED)')
  const answered = new Set<number>()
  let version = 0
  for (let round = 0; round < 2; round++) {
    const writer = await openChangeWriter(service.url, 's.t', { project: 'p' })
    const sent: Promise<unknown>[] = []
    for (let i = 0; i < 40; i++) {
      const own = ++version
      const row = { id: own, version: own, _CHANGE_TYPE: 'UPSERT', _CHANGE_SEQUENCE_NUMBER: own.toString(16) }
      sent.push(
        writer.send([row]).then(
          answer => !answer.error && answered.add(own),
          () => {},
        ),
      )
    }
    // Some are answered by now, some are under way.
    await Promise.race(sent)
    await service.kill()
    await Promise.all(sent)
    writer.close()
    service = await start()
    const answer = await query('SELECT id FROM s.t WHERE id = version')
    const ids = new Set((answer.rows ?? []).map((row: { f: { v: string }[] }) => Number(row.f[0]?.v)))
    expect([...answered].filter(id => !ids.has(id))).toEqual([])
  }
  expect(answered.size).toBeGreaterThan(0)
  await service.kill()
})
