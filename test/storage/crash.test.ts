/** A process killed in the middle of uploads: every object that was acknowledged is there, whole, and nothing half is. */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'

async function startChild(dir: string): Promise<{ child: ChildProcess; url: string }> {
  const script = join(import.meta.dirname, 'server-in-child.ts')
  const child = spawn(process.execPath, [script, dir], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  for await (const url of createInterface({ input: child.stdout })) return { child, url }
  throw new Error('The child ended without an address.')
}

const exited = (child: ChildProcess) => new Promise(resolve => child.once('exit', resolve))

/** Uploads versions of a few objects until the server dies; returns what it acknowledged last for each. */
async function uploadUntilDeath(
  url: string,
  worker: number,
  seen: Map<string, string>,
  sent: Map<string, Set<string>>,
) {
  for (let round = 0; ; round++) {
    const name = `w${worker}/${round % 3}`
    const content = `${name}:${round}:`.padEnd(2000 + round * 997, 'x') + randomBytes(8).toString('hex')
    sent.set(name, (sent.get(name) ?? new Set()).add(content))
    try {
      const path = `${url}/upload/storage/v1/b/crash-test/o?uploadType=media&name=${encodeURIComponent(name)}`
      const answer = await fetch(path, { method: 'POST', body: content })
      await answer.json()
      if (answer.ok) seen.set(name, content)
    } catch {
      return
    }
  }
}

test.each([1, 2, 3])('killed, round %i', { timeout: 30_000 }, async round => {
  const dir = mkdtempSync(join(tmpdir(), 'freshet-crash-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const { child, url } = await startChild(dir)
  await fetch(`${url}/storage/v1/b?project=p`, {
    method: 'POST',
    body: JSON.stringify({ name: 'crash-test' }),
  })
  const [seen, sent] = [new Map<string, string>(), new Map<string, Set<string>>()]
  const workers = [0, 1, 2, 3].map(worker => uploadUntilDeath(url, worker, seen, sent))
  while (seen.size < 12 || (sent.get('w0/0')?.size ?? 0) < 4 + round) await new Promise(setImmediate)
  const gone = exited(child)
  child.kill('SIGKILL')
  await Promise.all([gone, ...workers])

  const again = await startChild(dir)
  for (const [name, acknowledged] of seen) {
    const answer = await fetch(`${again.url}/storage/v1/b/crash-test/o/${encodeURIComponent(name)}?alt=media`)
    const found = await answer.text()
    // The last request may have been carried out without its answer arriving: then a newer whole one is there.
    const versions = [...(sent.get(name) ?? [])]
    expect(versions.indexOf(found), name).toBeGreaterThanOrEqual(versions.indexOf(acknowledged))
  }
  const listing = await (await fetch(`${again.url}/storage/v1/b/crash-test/o`)).json()
  const files = readdirSync(join(dir, 'buckets', 'crash-test')).filter(file => file !== 'bucket.json')
  expect(listing).toMatchObject({ items: Array.from({ length: files.length / 2 }, () => expect.anything()) })
  expect(readdirSync(join(dir, 'incoming'))).toEqual([])
})
