/** Google's own command line against the embedded cloud: what an operator would type. */
import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OpenCloud, openCloud, skipReason, uniqueName } from '../support/open-cloud.ts'

const installed = spawnSync('gcloud', ['--version']).status === 0
const reason = installed ? skipReason : '(skipped: gcloud is not installed)'

describe.skipIf(reason)(`gcloud ${reason ?? ''}`, () => {
  let cloud: OpenCloud
  const dir = mkdtempSync(join(tmpdir(), 'freshet-gcloud-'))

  beforeAll(async () => {
    cloud = await openCloud()
  })
  afterAll(async () => {
    await cloud.close()
    rmSync(dir, { recursive: true })
  })

  /** Its own configuration folder, so that nothing of the user's is read or changed. */
  async function gcloud(...args: string[]): Promise<string> {
    const own = Object.keys(cloud.toolEnv).length > 0 ? { CLOUDSDK_CONFIG: join(dir, 'config') } : {}
    const env = { ...process.env, ...own, ...cloud.toolEnv, CLOUDSDK_CORE_DISABLE_PROMPTS: '1' }
    return (await promisify(execFile)('gcloud', args, { env })).stdout
  }

  // Each call starts a Python interpreter, and a busy machine takes seconds for that.
  const timeout = 180_000

  test('storage: up, listed, down, moved, gone', { timeout }, async () => {
    const bucket = await cloud.createBucket()
    const root = `gs://${bucket.name}`
    writeFileSync(join(dir, 'a.txt'), 'hello')
    writeFileSync(join(dir, 'big'), Buffer.alloc(9_000_000, 7))
    await gcloud('storage', 'cp', join(dir, 'a.txt'), join(dir, 'big'), `${root}/in/`)
    expect(await gcloud('storage', 'ls', '-r', `${root}/**`)).toBe(`${root}/in/a.txt\n${root}/in/big\n`)
    expect(await gcloud('storage', 'ls', root)).toBe(`${root}/in/\n`)
    expect(await gcloud('storage', 'cat', `${root}/in/a.txt`)).toBe('hello')
    await gcloud('storage', 'mv', `${root}/in/a.txt`, `${root}/out/b.txt`)
    await gcloud('storage', 'rm', `${root}/in/*`)
    expect(await gcloud('storage', 'ls', '-r', `${root}/**`)).toBe(`${root}/out/b.txt\n`)
    await expect(gcloud('storage', 'ls', `${root}-none`)).rejects.toThrow(/404/)
  })

  test('pubsub: a message published is a message pulled', { timeout }, async () => {
    const topic = await cloud.createTopic()
    const id = uniqueName('sub')
    const [subscription] = await topic.createSubscription(id)
    await gcloud('pubsub', 'topics', 'publish', topic.name, '--message=hello', '--attribute=feed=cities')
    const pulled = JSON.parse(
      await gcloud('pubsub', 'subscriptions', 'pull', id, '--auto-ack', '--format=json'),
    )
    expect(pulled).toMatchObject([{ message: { data: btoa('hello'), attributes: { feed: 'cities' } } }])
    await subscription.delete()
  })
})
