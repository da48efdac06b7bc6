/** The embedded cloud as one: its folder's lock, what survives a restart, and how finalized objects travel. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { Storage } from '@google-cloud/storage'
import { expect, onTestFinished, test } from 'vitest'
import { type Cloud, startCloud } from '../../local/cloud.ts'
import { closeServer, listen } from '../../local/server.ts'

process.env.METADATA_SERVER_DETECTION = 'none'

function makeFolder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'freshet-cloud-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

async function open(dir: string): Promise<Cloud> {
  const cloud = await startCloud({ dir })
  onTestFinished(() => cloud.close())
  return cloud
}

const clientOf = (cloud: Cloud) => new Storage({ apiEndpoint: cloud.urls.storage, projectId: cloud.project })

/** A function that refuses its first `failures` events. */
async function startFunction(failures = 0) {
  const events: Array<{ headers: IncomingHttpHeaders; body: unknown }> = []
  let left = failures
  const server = createServer(async (request, response) => {
    const body = await json(request)
    const refused = left-- > 0
    if (!refused) events.push({ headers: request.headers, body })
    response.writeHead(refused ? 500 : 204).end()
  })
  const url = await listen(server)
  onTestFinished(() => closeServer(server))
  return { url, events }
}

test('a folder is one cloud at a time, until it is closed', async () => {
  const dir = makeFolder()
  const cloud = await open(dir)
  await expect(startCloud({ dir })).rejects.toThrow(/already runs on .* \(process \d+\)/)
  await Promise.all([cloud.close(), cloud.close()])
  await open(dir)
})

test("a dead process's lock is taken over", async () => {
  const dir = makeFolder()
  const dead = spawnSync(process.execPath, ['-e', '0']).pid
  writeFileSync(join(dir, 'lock'), String(dead))
  await open(dir)
})

test('a cloud that cannot start leaves nothing behind', async () => {
  const dir = makeFolder()
  const other = await open(makeFolder())
  const taken = Number(new URL(other.urls.workflows).port)
  await expect(startCloud({ dir, ports: { workflows: taken } })).rejects.toThrow(/EADDRINUSE/)
  expect(readdirSync(dir)).not.toContain('lock')
  await open(dir)
})

test('objects and their generations survive a restart', async () => {
  const dir = makeFolder()
  const first = await open(dir)
  const [bucket] = await clientOf(first).createBucket('inbox-test')
  await bucket.file('a//b/../c').save('content', { metadata: { metadata: { k: 'v' } } })
  const [before] = await bucket.file('a//b/../c').getMetadata()
  await first.close()
  const second = await open(dir)
  const file = clientOf(second).bucket('inbox-test').file('a//b/../c')
  const [after] = await file.getMetadata()
  const links = { selfLink: expect.any(String), mediaLink: expect.any(String) }
  expect(after).toEqual({ ...before, ...links })
  expect((await file.download())[0].toString()).toBe('content')
})

test('a finalized object becomes a CloudEvent, tried again until it is taken', async () => {
  const cloud = await open(makeFolder())
  const { url, events } = await startFunction(2)
  const [bucket] = await clientOf(cloud).createBucket('inbox-test')
  const [other] = await clientOf(cloud).createBucket('other-test')
  const trigger = cloud.addTrigger({ bucket: bucket.name, url })
  await other.file('not-for-us').save('x')
  await bucket.file('ä b.json').save('{}', { resumable: false })
  await trigger.idle()
  expect(events).toHaveLength(1)
  expect(events[0]?.headers).toMatchObject({
    'ce-specversion': '1.0',
    'ce-type': 'google.cloud.storage.object.v1.finalized',
    'ce-source': '//storage.googleapis.com/projects/_/buckets/inbox-test',
    'ce-subject': 'objects/%C3%A4%20b.json',
    'ce-bucket': 'inbox-test',
    'content-type': 'application/json',
  })
  expect(events[0]?.body).toMatchObject({
    bucket: 'inbox-test',
    name: 'ä b.json',
    size: '2',
    metageneration: '1',
  })
})

test('what was not delivered when the cloud closed is delivered by the next one', async () => {
  const dir = makeFolder()
  const first = await open(dir)
  const [bucket] = await clientOf(first).createBucket('inbox-test')
  first.addTrigger({ bucket: bucket.name, url: 'http://127.0.0.1:9/on-object' })
  await bucket.file('waits').save('x')
  await first.close()
  const second = await open(dir)
  const { url, events } = await startFunction()
  await second.addTrigger({ bucket: 'inbox-test', url: `${url}/on-object` }).idle()
  expect(events.map(event => event.body)).toMatchObject([{ name: 'waits' }])
  await second.close()
  await (await open(dir)).addTrigger({ bucket: 'inbox-test', url: `${url}/on-object` }).idle()
  expect(events).toHaveLength(1)
})
