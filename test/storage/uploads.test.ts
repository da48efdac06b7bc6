/** Uploads on the wire: what the protocol allows beyond what one client happens to send. */
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { systemClock } from '../../local/service.ts'
import { type StorageService, startStorage } from '../../local/storage/index.ts'

const dir = mkdtempSync(join(tmpdir(), 'freshet-uploads-'))
const finalized: string[] = []
let storage: StorageService

beforeAll(async () => {
  storage = await startStorage({ dir, clock: systemClock })
  storage.onFinalize(object => finalized.push(String(object.name)))
  await fetch(`${storage.url}/b?project=p`, { method: 'POST', body: '{"name":"uploads"}' })
})
afterAll(async () => {
  await storage.close()
  rmSync(dir, { recursive: true })
})

const uploadUrl = (query: string) => `${storage.url}/upload/storage/v1/b/uploads/o?${query}`
const read = async (name: string) => (await fetch(`${storage.url}/b/uploads/o/${name}?alt=media`)).text()

async function startSession(name: string, query = ''): Promise<string> {
  const answer = await fetch(uploadUrl(`uploadType=resumable&name=${name}${query}`), {
    method: 'POST',
    body: '{}',
  })
  expect(answer.status).toBe(200)
  return answer.headers.get('location') ?? ''
}

async function put(url: string, range: string, body = '') {
  const answer = await fetch(url, {
    method: 'PUT',
    body,
    headers: { 'content-range': range },
    redirect: 'manual',
  })
  return { status: answer.status, range: answer.headers.get('range'), body: await answer.text() }
}

describe('resumable', () => {
  test('in parts, with a question between, a part sent twice, and the end asked for again', async () => {
    const url = await startSession('parts')
    expect(await put(url, 'bytes */*')).toMatchObject({ status: 308, range: null })
    expect(await put(url, 'bytes 0-2/9', 'abc')).toMatchObject({ status: 308, range: 'bytes=0-2' })
    expect(await put(url, 'bytes */9')).toMatchObject({ status: 308, range: 'bytes=0-2' })
    expect(await put(url, 'bytes 1-5/9', 'bcdef')).toMatchObject({ status: 308, range: 'bytes=0-5' })
    expect(finalized).not.toContain('parts')
    const last = await put(url, 'bytes 6-8/9', 'ghi')
    expect(last.status).toBe(200)
    expect(await put(url, 'bytes */9')).toEqual(last)
    expect(await read('parts')).toBe('abcdefghi')
    expect(finalized.filter(name => name === 'parts')).toHaveLength(1)
  })

  test('a connection that breaks loses nothing that had arrived', async () => {
    const url = await startSession('broken')
    const half = request(url, {
      method: 'PUT',
      headers: { 'content-range': 'bytes 0-9/10', 'content-length': 10 },
    })
    half.on('error', () => {})
    half.write('01234')
    // A question after the session gives up the connection that it finds, so what was sent has to be there first.
    const arrived = () =>
      readdirSync(join(dir, 'incoming')).some(name => statSync(join(dir, 'incoming', name)).size === 5)
    await vi.waitUntil(arrived, { timeout: 30_000, interval: 5 })
    expect((await put(url, 'bytes */10')).range).toBe('bytes=0-4')
    half.destroy()
    await once(half, 'close')
    expect((await put(url, 'bytes 5-9/10', '56789')).status).toBe(200)
    expect(await read('broken')).toBe('0123456789')
  })

  test('a gap, an overrun, an unknown session and a cancelled one', async () => {
    const url = await startSession('wrong')
    expect((await put(url, 'bytes 4-5/9', 'ef')).status).toBe(400)
    expect((await put(url, 'bytes 0-2/2', 'abc')).status).toBe(400)
    expect((await put(url.replace(/upload_id=.*/, 'upload_id=none'), 'bytes */*')).status).toBe(404)
    expect((await fetch(url, { method: 'DELETE' })).status).toBe(499)
    expect((await put(url, 'bytes */*')).status).toBe(404)
    expect(readdirSync(join(dir, 'incoming'))).toEqual([])
  })

  test('the precondition is checked at the end too', async () => {
    const url = await startSession('raced', '&ifGenerationMatch=0')
    await fetch(uploadUrl('uploadType=media&name=raced'), { method: 'POST', body: 'winner' })
    expect((await put(url, 'bytes 0-4/5', 'loser')).status).toBe(412)
    expect(await read('raced')).toBe('winner')
    expect(readdirSync(join(dir, 'incoming'))).toEqual([])
  })
})

describe('multipart', () => {
  const parts = (boundary: string, eol: string, resource: object, content: string) =>
    [
      `--${boundary}`,
      'Content-Type: application/json',
      '',
      JSON.stringify(resource),
      `--${boundary}`,
      'Content-Type: text/x-part',
      '',
      content,
      `--${boundary}--`,
      '',
    ].join(eol)

  const send = (type: string, body: string) =>
    fetch(uploadUrl('uploadType=multipart'), { method: 'POST', body, headers: { 'content-type': type } })

  test.each([
    ['plain', 'x', '\r\n', 'multipart/related; boundary=x'],
    ['double quotes', 'a b', '\r\n', 'multipart/related; boundary="a b"'],
    ['single quotes, LF', '==1==', '\n', "multipart/related; boundary='==1=='"],
  ])('%s', async (_, boundary, eol, type) => {
    const content = `one${eol}--y\r\n\n--${boundary.slice(0, -1)}\r`
    const answer = await send(type, parts(boundary, eol, { name: 'multi' }, content))
    expect(await answer.json()).toMatchObject({
      contentType: 'text/x-part',
      size: String(Buffer.byteLength(content)),
    })
    expect(await read('multi')).toBe(content)
  })

  test.each([
    ['cut short', 'multipart/related; boundary=x', parts('x', '\r\n', { name: 'bad' }, 'abc').slice(0, -12)],
    ['no boundary', 'multipart/related', 'x'],
    ['not JSON', 'multipart/related; boundary=x', parts('x', '\r\n', {}, 'abc').replace('{}', 'oops')],
    ['no name', 'multipart/related; boundary=x', parts('x', '\r\n', {}, 'abc')],
    [
      'a wrong hash',
      'multipart/related; boundary=x',
      parts('x', '\r\n', { name: 'bad', crc32c: 'AAAAAA==' }, 'abc'),
    ],
    [
      'an unsupported field',
      'multipart/related; boundary=x',
      parts('x', '\r\n', { name: 'bad', retention: {} }, 'abc'),
    ],
  ])('%s is refused and leaves nothing', async (_, type, body) => {
    const answer = await send(type, body)
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ error: { code: 400, errors: [{ domain: 'global' }] } })
    expect(finalized).not.toContain('bad')
    expect(readdirSync(join(dir, 'incoming'))).toEqual([])
  })
})

test.each([
  ['123456789', '4waSgw==', 'JfnnlDI7RTiF9RgfG2JNCw=='],
  ['', 'AAAAAA==', '1B2M2Y8AsgTpgAmY7PhCfg=='],
])('%j hashes to known values', async (content, crc32c, md5Hash) => {
  const answer = await fetch(uploadUrl('uploadType=media&name=hashed'), { method: 'POST', body: content })
  expect(await answer.json()).toMatchObject({ crc32c, md5Hash })
})

test('a download in the middle of an overwrite is wholly the old content', async () => {
  const old = 'o'.repeat(5_000_000)
  await fetch(uploadUrl('uploadType=media&name=replaced'), { method: 'POST', body: old })
  const reader = (await fetch(`${storage.url}/b/uploads/o/replaced?alt=media`)).body?.getReader()
  const first = await reader?.read()
  await fetch(uploadUrl('uploadType=media&name=replaced'), { method: 'POST', body: 'new' })
  let size = first?.value?.length ?? 0
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read())
    size += part.value.length
  expect(size).toBe(old.length)
  expect(await read('replaced')).toBe('new')
})

test.each([
  ['GET', '/b/uploads/o?matchGlob=*'],
  ['GET', '/b/uploads/o?pageToken=x'],
  ['GET', '/b/uploads/o?maxResults=0'],
  ['GET', '/b/uploads/o/x?ifGenerationMatch=x'],
])('%s %s is refused', async (method, path) => {
  const answer = await fetch(storage.url + path, { method })
  expect(answer.status).toBe(400)
})

test('composing ignores the hashes of a destination that was copied from a component, as gcloud sends it', async () => {
  const component = await fetch(uploadUrl('uploadType=media&name=c1'), { method: 'POST', body: 'one' })
  await fetch(uploadUrl('uploadType=media&name=c2'), { method: 'POST', body: 'two' })
  const answer = await fetch(`${storage.url}/b/uploads/o/whole/compose`, {
    method: 'POST',
    body: JSON.stringify({
      destination: await component.json(),
      sourceObjects: [{ name: 'c1' }, { name: 'c2' }],
    }),
  })
  expect(await answer.json()).toMatchObject({ name: 'whole', size: '6', componentCount: 2 })
  expect(await read('whole')).toBe('onetwo')
})
