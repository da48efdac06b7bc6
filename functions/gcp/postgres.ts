/** Postgres behind the port `Database`. */
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { AuthTypes, Connector, IpAddressTypes } from '@google-cloud/cloud-sql-connector'
import postgres from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { FreshetError } from '../errors.ts'
import { databaseVariable } from '../names.ts'
import type { Database, OpenDatabase, Session } from './ports.ts'

function makeSession(client: postgres.PoolClient): Session {
  const run: Session['run'] = async ({ text }) => {
    const result = await client.query(text)
    return (Array.isArray(result) ? result.at(-1) : result)?.rowCount ?? 0
  }
  return {
    query: async ({ text }) => (await client.query(text)).rows,
    run,
    async copy({ text }, lines) {
      const stream = client.query(copyFrom(text))
      await pipeline(Readable.from(lines, { objectMode: false }), stream)
      return stream.rowCount
    },
    async transaction(work) {
      await client.query('BEGIN')
      try {
        const result = await work()
        await client.query('COMMIT')
        return result
      } catch (error) {
        // A connection that is gone has rolled back by itself.
        await client.query('ROLLBACK').catch(() => {})
        throw error
      }
    },
  }
}

/** The address of a database of Cloud SQL: a login of IAM, at its private address, needs no secret. */
export function parseCloudSql(url: string): { instance: string; database: string; user: string } | undefined {
  if (!url.startsWith('cloudsql:')) return undefined
  const { pathname, searchParams } = new URL(url)
  const [instance, user] = [searchParams.get('instance'), searchParams.get('user')]
  const database = decodeURIComponent(pathname.replace(/^\/+/, ''))
  if (instance && user && database) return { instance, database, user }
  throw new FreshetError({
    code: 'bad-config',
    message: `${url} names no database of Cloud SQL.`,
    hint: 'Write it as cloudsql:///DATABASE?instance=PROJECT:REGION:INSTANCE&user=USER.',
  })
}

interface Opened {
  readonly pool: postgres.Pool
  close(): void
}

/** github.com/GoogleCloudPlatform/cloud-sql-nodejs-connector */
async function open(url: string): Promise<Opened> {
  const cloudSql = parseCloudSql(url)
  const shared = { application_name: 'freshet' }
  const connector = cloudSql && new Connector()
  const pool =
    cloudSql && connector
      ? new postgres.Pool({
          ...shared,
          ...(await connector.getOptions({
            instanceConnectionName: cloudSql.instance,
            ipType: IpAddressTypes.PRIVATE,
            authType: AuthTypes.IAM,
          })),
          user: cloudSql.user,
          database: cloudSql.database,
        })
      : new postgres.Pool({ ...shared, connectionString: url })
  // An idle connection that the server ends is replaced at the next use.
  pool.on('error', () => {})
  return { pool, close: () => connector?.close() }
}

function openPool(name: string, url: string): Database {
  let opened: Promise<Opened> | undefined
  const ready = async () => {
    opened ??= open(url)
    return (await opened).pool
  }
  /** The address is not told: it may have a password. */
  const failed = (error: unknown) =>
    new FreshetError({
      code: 'no-database',
      retry: 'later',
      message: `Database ${name} can't be reached: ${error instanceof Error ? error.message : error}.`,
      hint: `Is it up, and does ${databaseVariable(name)} say where it is and who we are?`,
    })
  return {
    query: async ({ text }) => (await (await ready()).query(text)).rows,
    async connect(use) {
      const client = await ready()
        .then(pool => pool.connect())
        .catch(error => Promise.reject(error instanceof FreshetError ? error : failed(error)))
      // A connection that breaks between two statements says so here, and the next statement fails.
      const ignore = () => {}
      client.on('error', ignore)
      let broken = true
      try {
        const result = await use(makeSession(client))
        broken = false
        return result
      } finally {
        // One that failed in the middle may still hold a lock or a COPY.
        client.off('error', ignore)
        client.release(broken)
      }
    },
    async close() {
      if (!opened) return
      const { pool, close } = await opened
      await pool.end()
      close()
    },
  }
}

/** A database's address is a secret: it is in the environment, never in a feed file. */
export function makeOpenDatabase(env: Readonly<Record<string, string | undefined>>): OpenDatabase {
  return name => {
    const variable = databaseVariable(name)
    const url = env[variable]
    if (url) return openPool(name, url)
    throw new FreshetError({
      code: 'bad-config',
      message: `The address of database ${name} is not known: ${variable} is not set.`,
      hint: `Set ${variable} to postgres://USER:PASSWORD@HOST:PORT/DATABASE.`,
    })
  }
}
