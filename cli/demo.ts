/** `npm run demo`: two real snapshots through the whole of Freshet, and the counts that must come out. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Table from 'cli-table3'
import type { RefreshMessage } from '../functions/message.ts'
import { DEMO_SNAPSHOTS, writeDemoSnapshot } from './demo-data.ts'
import { EXIT, messageOf } from './exit.ts'
import { type Io, printLine } from './io.ts'
import { exitOfMessage, printMessage } from './print-message.ts'
import { startProgress } from './progress.ts'
import { formatCount } from './quantity.ts'
import { runQuery } from './run-query.ts'
import { type Session, startSession } from './session.ts'
import { readSnapshotDir } from './snapshot-dir.ts'

const FEED = join(import.meta.dirname, '../feeds/cities.yaml')
const COUNT = 'SELECT COUNT(*) AS towns FROM geo.cities'
const TWICE =
  'SELECT COUNT(*) AS twice FROM (SELECT country FROM geo.cities GROUP BY country, admin1, admin2, name, lat, lng HAVING COUNT(*) > 1)'

/** Counted beforehand with nothing but a set of keys. */
const EXPECTED = [
  { loaded: 170_114, inserted: 170_114, updated: 0, kept: 0, after: 170_114 },
  { loaded: 171_075, inserted: 2_201, updated: 168_874, kept: 1_240, after: 172_315 },
] as const

type Counts = RefreshMessage['rows'] & { readonly table: number; readonly twice: number }

function findDifferences(at: number, actual: Counts): string[] {
  const counts = EXPECTED[at]
  if (!counts) return [`snapshot ${at + 1} was not expected`]
  const expected: Partial<Counts> = { ...counts, table: counts.after, twice: 0 }
  return Object.entries(expected)
    .filter(([name, count]) => actual[name as keyof Counts] !== count)
    .map(
      ([name, count]) =>
        `${name}: ${formatCount(actual[name as keyof Counts])}, expected ${formatCount(count)}`,
    )
}

/** The first number of a query's only row. */
async function readNumber(session: Session, sql: string): Promise<number> {
  const { rows } = await runQuery(session.stack.cloud, sql)
  return Number(Object.values(rows[0] ?? {})[0])
}

interface Step {
  readonly message: RefreshMessage
  readonly differences: readonly string[]
}

async function sendAll(io: Io, session: Session, root: string): Promise<readonly Step[]> {
  const steps: Step[] = []
  for (const [at, source] of DEMO_SNAPSHOTS.entries()) {
    const dir = await writeDemoSnapshot(root, source)
    const message = await session.send(await readSnapshotDir(session.feed, dir))
    printMessage(io.stdout, message)
    if (exitOfMessage(message) !== EXIT.done) return [...steps, { message, differences: [message.status] }]
    const counts = {
      ...message.rows,
      table: await readNumber(session, COUNT),
      twice: await readNumber(session, TWICE),
    }
    steps.push({ message, differences: findDifferences(at, counts) })
  }
  return steps
}

function printSteps(io: Io, steps: readonly Step[]): void {
  const head = ['snapshot', 'loaded', 'new', 'updated', 'kept', 'in the table', 'seconds', 'as expected']
  const right = head.map((_, at) => (at === 0 ? 'left' : 'right'))
  const table = new Table({ head, colAligns: right, style: { head: [], border: [], compact: true } })
  for (const { message, differences } of steps) {
    const { loaded, inserted, updated, kept, after } = message.rows
    const counts = [loaded, inserted, updated, kept, after].map(formatCount)
    const id = message.snapshots.join(', ')
    table.push([id, ...counts, message.withinSeconds.toFixed(1), differences.length === 0 ? 'yes' : 'NO'])
  }
  printLine(io.stdout, table.toString())
  for (const difference of steps.flatMap(step => step.differences))
    printLine(io.stderr, `not as expected: ${difference}`)
}

async function runDemo(io: Io): Promise<number> {
  const root = await mkdtemp(join(tmpdir(), 'freshet-demo-'))
  try {
    const session = await startSession({
      feedFile: FEED,
      dir: join(root, 'cloud'),
      progress: await startProgress(io),
      signal: io.signal,
    })
    try {
      const steps = await sendAll(io, session, root)
      printSteps(io, steps)
      const whole = steps.length === EXPECTED.length && steps.every(step => step.differences.length === 0)
      return whole ? EXIT.done : EXIT.failed
    } finally {
      await session.close()
    }
  } finally {
    await rm(root, { recursive: true, force: true })
  }
}

const stop = new AbortController()
process.once('SIGINT', () => stop.abort())
process.once('SIGTERM', () => stop.abort())
try {
  process.exitCode = await runDemo({ stdout: process.stdout, stderr: process.stderr, signal: stop.signal })
} catch (error) {
  console.error(`The demo failed: ${messageOf(error)}`)
  process.exitCode = stop.signal.aborted ? EXIT.interrupted : EXIT.failed
}
