/** A real Postgres for tests and benches: a cluster of its own on a port of its own, gone when it is closed. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chmodSync, chownSync, cpSync, existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import postgres from 'pg'
import { findPrograms, OWNER, type Programs } from './postgres-programs.ts'

export interface Cluster {
  /** Address of a database; `postgres` is there, and so is every one that was made. */
  urlOf(database?: string): string
  readonly port: number
  readonly version: string
  /** Process id of the server. */
  readonly pid: number
  readonly close: () => Promise<void>
}

/** Durable it need not be: nothing here outlives a test. Benches set what they measure. */
const QUICK: Readonly<Record<string, string>> = {
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  shared_buffers: '32MB',
  max_connections: '60',
}

function ownFolder(folder: string): string {
  chmodSync(folder, 0o700)
  if (OWNER.uid !== undefined) chownSync(folder, OWNER.uid, OWNER.gid)
  return folder
}

/** `initdb` takes a second or more of CPU: one run a machine, of which every cluster is a copy. */
function makeData({ bin, version }: Programs): string {
  const ready = join(tmpdir(), `freshet-postgres-data-${version}-${userInfo().uid}`)
  if (!existsSync(ready)) {
    const draft = ownFolder(mkdtempSync(`${ready}-`))
    const options = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync']
    execFileSync(join(bin, 'initdb'), ['-D', draft, ...options], { ...OWNER, cwd: tmpdir(), stdio: 'pipe' })
    try {
      renameSync(draft, ready)
    } catch {
      rmSync(draft, { recursive: true, force: true })
    }
  }
  const data = mkdtempSync(join(tmpdir(), 'freshet-pg-'))
  cpSync(ready, data, { recursive: true })
  if (OWNER.uid !== undefined)
    execFileSync('chown', ['-R', `${OWNER.uid}:${OWNER.gid}`, data], { stdio: 'pipe' })
  return ownFolder(data)
}

function findPort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(address !== null && typeof address === 'object' ? address.port : 0))
    })
  })
}

async function untilReady(url: string, server: ChildProcess, said: () => string): Promise<void> {
  for (;;) {
    if (server.exitCode !== null) throw new Error(`Postgres did not start: ${said()}`)
    const client = new postgres.Client({ connectionString: url })
    try {
      await client.connect()
      return await client.end()
    } catch {
      await wait(20)
    }
  }
}

/** Starts a cluster. `set` goes over the settings that make tests quick. */
export async function startPostgres(set: Readonly<Record<string, string>> = {}): Promise<Cluster> {
  const programs = findPrograms()
  const data = makeData(programs)
  const port = await findPort()
  const settings = Object.entries({ ...QUICK, ...set }).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const server = spawn(
    join(programs.bin, 'postgres'),
    ['-D', data, '-h', '127.0.0.1', '-p', String(port), '-k', '', ...settings],
    { ...OWNER, cwd: data, stdio: ['ignore', 'ignore', 'pipe'] },
  )
  let said = ''
  server.stderr.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-4_000)
  })
  const ended = new Promise<void>(resolve => server.once('exit', () => resolve()))
  const kill = () => server.kill('SIGQUIT')
  process.once('exit', kill)
  const urlOf = (database = 'postgres') => `postgres://postgres@127.0.0.1:${port}/${database}`
  const close = async () => {
    process.off('exit', kill)
    // Fast shutdown: connections are ended.
    server.kill('SIGINT')
    await ended
    rmSync(data, { recursive: true, force: true })
  }
  try {
    await untilReady(urlOf(), server, () => said)
  } catch (error) {
    await close()
    throw error
  }
  return { urlOf, port, version: programs.version, pid: server.pid ?? 0, close }
}
