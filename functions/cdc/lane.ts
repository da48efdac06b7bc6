/** One connection's worth of appends: a window of them under way, sent again in order when the connection fails. */
import { FreshetError } from '../errors.ts'
import type { AppendAnswer, AppendConnection } from '../gcp/change-ports.ts'
import type { AppendRequest } from './fill-requests.ts'
import { RecordProblem } from './read/record.ts'

export interface LaneOptions {
  connect(): Promise<AppendConnection>
  /** Resolves after so many milliseconds. */
  sleep(ms: number): Promise<void>
  /** Appends, and bytes, that may be under way at once. */
  readonly window?: { readonly requests: number; readonly bytes: number }
  /** An append without an answer for so long is taken for lost. */
  readonly answerMs?: number
  readonly tries?: number
}

export interface Lane {
  /** Resolves when the append is under way, which may take until others have been answered. */
  send(request: AppendRequest): Promise<void>
  /** Resolves when every append is stored. */
  drain(): Promise<void>
  close(): void
}

const WINDOW = { requests: 8, bytes: 16 * 1024 * 1024 }
const LONGEST_PAUSE_MS = 30_000

interface Flying {
  readonly request: AppendRequest
  answer: Promise<AppendAnswer>
}

/** The rows are the sender's to mend, whatever else is wrong is not. */
function refuse(request: AppendRequest, answer: AppendAnswer): void {
  if (answer.kind === 'bad-rows') {
    const [row] = answer.rows
    throw new RecordProblem(row?.message ?? 'was refused', request.lines[row?.index ?? 0] ?? 0)
  }
  if (answer.kind === 'refused')
    throw new FreshetError({
      code: 'job-failed',
      message: `BigQuery takes no changes for this table: ${answer.message}`,
      hint: 'docs/cdc.md lists what a table that takes changes must be; check also what the function may do.',
    })
}

/**
 * After trouble nobody knows which appends were stored. All that are not known to be are sent again, in their order:
 * that stores some twice, and a change with its sequence number may be stored any number of times.
 */
export function makeLane(options: LaneOptions): Lane {
  const { connect, sleep, window = WINDOW, answerMs = 120_000, tries = 8 } = options
  let opened: Promise<AppendConnection> | undefined
  let flying: Flying[] = []
  let bytes = 0
  let failures = 0

  async function append(rows: readonly Buffer[]): Promise<AppendAnswer> {
    // Appends that come together wait for one connection, and go on in their order.
    opened ??= connect()
    const connection = await opened
    return Promise.race([connection.append(rows), silenceOf(answerMs)])
  }

  function launch({ rows }: AppendRequest): Promise<AppendAnswer> {
    const answer = append(rows)
    // Looked at in its turn.
    answer.catch(() => {})
    return answer
  }

  const close = () => {
    opened?.then(
      connection => connection.close(),
      () => {},
    )
    opened = undefined
  }

  async function recover(error: unknown): Promise<void> {
    failures += 1
    if (failures >= tries)
      throw new FreshetError({
        code: 'job-failed',
        retry: 'later',
        message: `BigQuery did not take changes ${failures} times: ${error instanceof Error ? error.message : error}`,
        hint: 'Nothing: what is not stored is sent again.',
      })
    close()
    await sleep(Math.min(LONGEST_PAUSE_MS, 250 * 2 ** failures))
    for (const one of flying) one.answer = launch(one.request)
  }

  /** Waits for the oldest. */
  async function settle(): Promise<void> {
    const [oldest] = flying
    if (!oldest) return
    let answer: AppendAnswer
    try {
      answer = await oldest.answer
    } catch (error) {
      await recover(error)
      return
    }
    refuse(oldest.request, answer)
    failures = 0
    flying = flying.slice(1)
    bytes -= oldest.request.bytes
  }

  return {
    async send(request) {
      while (flying.length >= window.requests || (flying.length > 0 && bytes + request.bytes > window.bytes))
        await settle()
      flying.push({ request, answer: launch(request) })
      bytes += request.bytes
    },
    async drain() {
      while (flying.length > 0) await settle()
    },
    close,
  }
}

/** Rejects after so many milliseconds; what waits for it alone keeps no process alive. */
function silenceOf(ms: number): Promise<never> {
  return new Promise((_, reject) => {
    setTimeout(() => reject(new Error(`no answer within ${ms / 1_000} seconds`)), ms).unref()
  })
}
