/** `apply`: brings one change file a step further. The workflow `apply-changes` calls it until the file is over. */
import { z } from 'zod'
import { NO_CHANGES } from '../cdc/count-file.ts'
import { makeDescriptor } from '../cdc/descriptor.ts'
import { describeProblem, RecordProblem } from '../cdc/read/record.ts'
import { checkSlice, type SliceEnd, type SliceOptions, sendSlice } from '../cdc/send-file.ts'
import { FreshetError } from '../errors.ts'
import type { ChangeFeed } from '../feed/changes/change-feed.ts'
import { type Envelope, encodeEnvelope, type Status } from '../message.ts'
import { changeTargetOf } from '../plan/changes/change-table.ts'
import type { Delivery, HeldDelivery } from '../state/deliveries.ts'
import { type ChangeDeps, findChangeFeed } from './change-deps.ts'
import { makeChangeMessage } from './change-messages.ts'
import { ensureTable, readWatermark } from './change-table.ts'
import { describeError } from './describe-error.ts'
import { parseRequest } from './request.ts'

/** What the workflow does next. */
export type ApplyTurn =
  | { readonly kind: 'again'; readonly seconds: number }
  /** Publish, and say so. */
  | { readonly kind: 'tell'; readonly messages: readonly Envelope[] }
  /** It stays open; the sweep wakes it. */
  | { readonly kind: 'failed'; readonly messages: readonly Envelope[] }
  | { readonly kind: 'over' | 'busy' }

const applyRequest = z.object({
  feed: z.string(),
  delivery: z.string(),
  holder: z.string().min(1),
  /** The messages were published. */
  announced: z.boolean(),
  /** What went wrong, when the last call did. */
  error: z.unknown().optional(),
})

/** The workflow waits fifteen minutes for an answer, and a function may run nine; a block takes seconds. */
const SLICE_MS = 5 * 60_000
/** State is written that often: an object takes one write a second. */
const SAVE_MS = 5_000

interface Work {
  readonly deps: ChangeDeps
  readonly feed: ChangeFeed
  held: HeldDelivery
}

async function tell(work: Work, status: Status, reason: string): Promise<ApplyTurn> {
  const { deps, feed } = work
  const { delivery } = work.held
  const message = makeChangeMessage(feed, deps.names.projectId, deps.now(), delivery, { status, reason })
  work.held = await deps.deliveries.save(work.held, { messages: [message] })
  const fields = { feed: feed.name, object: delivery.object, run: delivery.id, status }
  deps.log.info(fields, `${status}: ${reason || delivery.object}`)
  return { kind: 'tell', messages: [encodeEnvelope(message)] }
}

function sliceOptions(work: Work): SliceOptions {
  const { deps } = work
  const [endsAt, { delivery }] = [deps.now() + SLICE_MS, work.held]
  let savedAt = deps.now()
  return {
    open: () => deps.objects.openRead(delivery.bucket, delivery.object, delivery.generation),
    after: delivery.line,
    counts: delivery.counts,
    isTimeUp: () => deps.now() >= endsAt,
    async onBlock({ line, counts }) {
      if (deps.now() - savedAt < SAVE_MS) return
      work.held = await deps.deliveries.save(work.held, { line, counts })
      savedAt = deps.now()
    },
  }
}

const GO_ON: ApplyTurn = { kind: 'again', seconds: 0 }

/** A slice is over: the place is kept, and at the end of the file the next phase begins. */
async function advance(work: Work, end: SliceEnd, next: Partial<Delivery>): Promise<ApplyTurn> {
  const { line, counts, done } = end
  work.held = await work.deps.deliveries.save(work.held, { line, counts, ...(done && next) })
  return GO_ON
}

async function check(work: Work): Promise<ApplyTurn> {
  const { deps, feed } = work
  if (work.held.delivery.line === 0) await ensureTable(deps, feed)
  const end = await checkSlice(feed, sliceOptions(work))
  if (end.done && end.counts.records === 0) return tell(work, 'unchanged', 'The file has no changes.')
  return advance(work, end, { phase: 'send', line: 0, counts: NO_CHANGES })
}

async function send(work: Work): Promise<ApplyTurn> {
  const { deps, feed } = work
  const [table, descriptor] = [changeTargetOf(feed, deps.names), makeDescriptor(feed)]
  const end = await sendSlice(feed, {
    ...sliceOptions(work),
    connect: () => deps.streams.connect(table, descriptor),
    sleep: deps.sleep,
    size: work.held.delivery.size,
  })
  return advance(work, end, { phase: 'wait', sentAt: new Date(deps.now()).toISOString() })
}

const MINUTE_MS = 60_000

/** BigQuery applies at least once within max_staleness; it is asked the less often the longer it takes. */
async function wait(work: Work): Promise<ApplyTurn> {
  const { deps, feed, held } = work
  const { maxStalenessSeconds, announce, withinSeconds } = feed.refresh
  const sentAt = Date.parse(held.delivery.sentAt ?? '')
  const expected = new Date(sentAt + maxStalenessSeconds * 1_000).toISOString()
  if (announce === 'pending')
    return tell(work, 'pending', `Sent; BigQuery applies it by ${expected} at the latest.`)
  if ((await readWatermark(deps, feed)) > sentAt) return tell(work, 'refreshed', '')
  const waited = deps.now() - sentAt
  const longest = Math.max(withinSeconds * 1_000, 4 * maxStalenessSeconds * 1_000)
  if (waited > longest)
    return tell(
      work,
      'pending',
      `Sent, and not applied after ${Math.round(waited / MINUTE_MS)} minutes: applies may lack slots; docs/cdc.md, Applies.`,
    )
  return { kind: 'again', seconds: Math.min(60, Math.max(2, Math.ceil(waited / 4_000))) }
}

const PHASES = { check, send, wait, over: wait } as const

/** A file that is wrong ends here; `sent` says whether some of it is in the table already. */
async function reject(work: Work, problem: RecordProblem): Promise<ApplyTurn> {
  const { delivery } = work.held
  const place = describeProblem(delivery.object, problem)
  const sent =
    delivery.phase === 'send'
      ? 'Changes before it may be in the table; sent again, they change nothing.'
      : 'No change of it was sent.'
  return tell(work, 'rejected', `${place}. ${sent} Mend the file and send it anew.`)
}

async function step(work: Work): Promise<ApplyTurn> {
  try {
    return await PHASES[work.held.delivery.phase](work)
  } catch (error) {
    if (error instanceof RecordProblem) return reject(work, error)
    if (error instanceof FreshetError && error.code === 'not-found')
      return reject(work, new RecordProblem('was removed or replaced before it was sent', 0))
    throw error
  }
}

/** The holder lets go, so that the next wake-up need not wait. */
async function fail(work: Work, error: unknown): Promise<ApplyTurn> {
  const { deps, feed } = work
  const reason = describeError(error)
  work.held = await deps.deliveries.save(work.held, { holder: undefined })
  const { delivery } = work.held
  deps.log.error({ feed: feed.name, object: delivery.object, status: 'failed' }, `failed: ${reason}`)
  const told = { status: 'failed' as const, reason }
  const message = makeChangeMessage(feed, deps.names.projectId, deps.now(), delivery, told)
  return { kind: 'failed', messages: [encodeEnvelope(message)] }
}

export function makeApply(deps: ChangeDeps) {
  return async (body: unknown): Promise<ApplyTurn> => {
    const request = parseRequest(applyRequest, body)
    const feed = findChangeFeed(deps, request.feed)
    const held = await deps.deliveries.take(feed.name, request.delivery, request.holder)
    if (held === 'over' || held === 'busy') return { kind: held }
    const work: Work = { deps, feed, held }
    if (request.error !== undefined && request.error !== null) return fail(work, request.error)
    const { messages } = held.delivery
    if (!messages) return step(work)
    if (!request.announced) return { kind: 'tell', messages: messages.map(encodeEnvelope) }
    await deps.deliveries.finish(held)
    return { kind: 'over' }
  }
}
