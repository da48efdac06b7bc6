/** The official Cloud Storage client against the embedded one, or against Google's with TARGET=gcp. */
import { randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { Bucket } from '@google-cloud/storage'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OpenCloud, openCloud, skipReason } from '../support/open-cloud.ts'

describe.skipIf(skipReason)(`Cloud Storage ${skipReason ?? ''}`, () => {
  let cloud: OpenCloud
  let bucket: Bucket

  beforeAll(async () => {
    cloud = await openCloud()
    bucket = await cloud.createBucket()
  })
  afterAll(() => cloud.close())

  const code = async (promise: Promise<unknown>): Promise<unknown> =>
    promise.then(
      () => 'no error',
      (error: { code?: unknown }) => error.code,
    )

  test.each([
    ['multipart', false],
    ['resumable', true],
  ])('a %s upload comes back whole, with its hashes checked by the client', async (name, resumable) => {
    const bytes = randomBytes(3_000_000)
    const file = bucket.file(`${name}/ä b+%.bin`)
    await file.save(bytes, {
      resumable,
      metadata: { contentType: 'application/x-test', metadata: { who: 'me' } },
    })
    const [content] = await file.download()
    expect(content.equals(bytes)).toBe(true)
    const [metadata] = await file.getMetadata()
    expect(metadata).toMatchObject({
      kind: 'storage#object',
      name: `${name}/ä b+%.bin`,
      size: '3000000',
      metageneration: '1',
      contentType: 'application/x-test',
      metadata: { who: 'me' },
    })
    expect(metadata.generation).toMatch(/^\d{16}$/)
  })

  test('a resumable upload in chunks, and an empty one', async () => {
    const bytes = randomBytes(1_000_001)
    await bucket.file('chunked').save(bytes, { resumable: true, chunkSize: 256 * 1024 })
    expect((await bucket.file('chunked').download())[0].equals(bytes)).toBe(true)
    await bucket.file('empty').save('', { resumable: true })
    await bucket.file('empty2').save('', { resumable: false })
    expect((await bucket.file('empty').download())[0]).toHaveLength(0)
    expect((await bucket.file('empty2').getMetadata())[0].size).toBe('0')
  })

  test('a range of bytes', async () => {
    await bucket.file('digits').save('0123456789')
    expect((await bucket.file('digits').download({ start: 3, end: 5 }))[0].toString()).toBe('345')
    expect(await code(bucket.file('digits').download({ start: 20, end: 25 }))).toBe(416)
  })

  test('gzip content is unpacked only for readers that do not take gzip', async () => {
    await bucket.file('packed').save(gzipSync('hello'), { metadata: { contentEncoding: 'gzip' } })
    expect((await bucket.file('packed').download())[0].toString()).toBe('hello')
    const [raw] = await bucket.file('packed').download({ decompress: false })
    expect(raw.subarray(0, 2).toString('hex')).toBe('1f8b')
  })

  test('generation 0 means create only, and a generation guards an overwrite', async () => {
    const file = bucket.file('lease.json')
    const options = (generation: number | string) => ({ preconditionOpts: { ifGenerationMatch: generation } })
    await file.save('1', { resumable: false, ...options(0) })
    expect(await code(file.save('2', { resumable: false, ...options(0) }))).toBe(412)
    const [{ generation = 0 }] = await file.getMetadata()
    await file.save('3', { resumable: false, ...options(generation) })
    expect(await code(file.save('4', { resumable: false, ...options(generation) }))).toBe(412)
    expect(await code(file.delete({ ifGenerationMatch: generation }))).toBe(412)
    expect((await file.download())[0].toString()).toBe('3')
    expect(await code(bucket.file('lease.json', { generation }).getMetadata())).toBe(404)
  })

  test('of many writers that create one object, exactly one succeeds', async () => {
    const attempts = Array.from({ length: 20 }, (_, index) =>
      code(
        bucket
          .file('only-once')
          .save(`${index}`, { resumable: index % 2 === 0, preconditionOpts: { ifGenerationMatch: 0 } }),
      ),
    )
    const codes = await Promise.all(attempts)
    expect(codes.filter(item => item === 'no error')).toHaveLength(1)
    expect(codes.filter(item => item === 412)).toHaveLength(19)
  })

  test('list by prefix and delimiter, in pages', async () => {
    for (const name of ['l/1', 'l/2', 'l/x/1', 'l/x/2', 'l/y/1']) await bucket.file(name).save(name)
    const [files] = await bucket.getFiles({ prefix: 'l/', maxResults: 2 })
    expect(files.map(file => file.name)).toEqual(
      ['l/1', 'l/2', 'l/x/1', 'l/x/2', 'l/y/1'].slice(0, files.length),
    )
    const [all] = await bucket.getFiles({ prefix: 'l/' })
    expect(all).toHaveLength(5)
    const [page, , answer] = await bucket.getFiles({ prefix: 'l/', delimiter: '/', autoPaginate: false })
    expect(page.map(file => file.name)).toEqual(['l/1', 'l/2'])
    expect(answer).toMatchObject({ prefixes: ['l/x/', 'l/y/'] })
  })

  test('metadata changes count a metageneration and keep the generation', async () => {
    const file = bucket.file('meta')
    await file.save('x', { metadata: { metadata: { keep: '1', drop: '1' } } })
    const [before] = await file.getMetadata()
    await file.setMetadata({ metadata: { drop: null, add: '2' } })
    const [after] = await file.getMetadata()
    expect(after).toMatchObject({
      generation: before.generation,
      metageneration: '2',
      metadata: { keep: '1', add: '2' },
    })
    expect(after.metadata).not.toHaveProperty('drop')
    expect(await code(file.setMetadata({ metadata: { a: '1' } }, { ifMetagenerationMatch: 1 }))).toBe(412)
  })

  test('copy, compose and delete', async () => {
    await bucket.file('part-1').save('one,')
    await bucket.file('part-2').save('two')
    await bucket.combine(['part-1', 'part-2'], 'both')
    const [both] = await bucket.file('both').getMetadata()
    expect(both).toMatchObject({ componentCount: 2, size: '7' })
    expect(both).not.toHaveProperty('md5Hash')
    await bucket.file('both').copy(bucket.file('copied'))
    await bucket.file('both').delete()
    expect((await bucket.file('copied').download())[0].toString()).toBe('one,two')
    expect(await bucket.file('both').exists()).toEqual([false])
  })

  test('what is missing or in the way is an error in the form that the client knows', async () => {
    expect(await code(bucket.file('nowhere').getMetadata())).toBe(404)
    await expect(bucket.file('nowhere').download()).rejects.toThrow(/No such object/)
    expect(await code(bucket.file('nowhere').delete())).toBe(404)
    expect(await code(cloud.storage.bucket(`${bucket.name}-none`).getFiles())).toBe(404)
    expect(await code(cloud.storage.createBucket(bucket.name))).toBe(409)
    expect(await code(bucket.delete())).toBe(409)
    expect(await code(bucket.file('a\nb').save('x', { resumable: false }))).toBe(400)
  })
})
