/** `verify`: reads what inspect counted and decides whether the snapshots may reach staging. */

import { FreshetError } from '../errors.ts'
import type { Feed } from '../feed/feed.ts'
import { type Envelope, encodeEnvelope } from '../message.ts'
import type { RunPlan } from '../plan/run-plan.ts'
import type { Inspection } from '../plan/stages/inspect.ts'
import { type Finding, planVerdict, type Verdict } from '../plan/verdict.ts'
import type { HeldLease } from '../state/lease.ts'
import type { RunRecord } from '../state/records.ts'
import { type Deps, findFeed } from './deps.ts'
import { makeStopped } from './messages.ts'
import { parseRequest, type RanJob, verifyRequest } from './request.ts'

export type VerifyAnswer =
  | { readonly kind: 'proceed' | 'lost' }
  | { readonly kind: 'stopped'; readonly messages: readonly Envelope[] }

/** The record of a run for the holder of its lease; `undefined` for everybody else. */
export async function readHeldRun(
  deps: Deps,
  feed: Feed,
  holder: string,
  run: RunPlan['run'],
): Promise<{ held: HeldLease; record: RunRecord } | undefined> {
  const held = await deps.state.leases.renew(feed.name, holder)
  if (held?.lease.run !== run) return undefined
  const record = await deps.state.readRun(feed.name, run)
  if (record) return { held, record }
  throw new FreshetError({
    code: 'not-found',
    message: `Run ${run} of ${feed.name} is not in the state bucket.`,
    hint: 'Was it removed by hand? Send the snapshot again.',
  })
}

async function readInspections(deps: Deps, jobs: readonly RanJob[]): Promise<Inspection[]> {
  const rows = await Promise.all(
    jobs.filter(({ stage }) => stage === 'inspect').map(job => deps.warehouse.readRows(job)),
  )
  return rows.flat().map(row => ({
    snapshot: row.snapshot ?? '',
    row_count: Number(row.row_count),
    key_count: Number(row.key_count),
    duplicate_keys: Number(row.duplicate_keys),
    null_key_rows: Number(row.null_key_rows),
  }))
}

/** An object that was replaced while it was loaded may have been read half old, half new. */
async function findReplaced(deps: Deps, feed: Feed, { snapshots, uriLists }: RunPlan): Promise<Finding[]> {
  const findings = await Promise.all(
    snapshots.map(async ({ id }): Promise<Finding | undefined> => {
      const planned = uriLists.filter(({ snapshot }) => snapshot === id).flatMap(({ files }) => files)
      const listed = await deps.objects.list(deps.names.inbox, feed.source.path.prefix(id))
      const live = new Map(listed.map(({ name, generation }) => [name, generation]))
      const replaced = planned.find(({ name, generation }) => live.get(name) !== generation)
      if (!replaced) return undefined
      const what = live.has(replaced.name) ? 'was replaced' : 'was removed'
      return {
        snapshot: id,
        kind: 'rejected',
        reason: `object ${replaced.name} ${what} while the snapshot was loaded`,
        hint: 'Send the snapshot again; its files must not change once it is complete.',
      }
    }),
  )
  return findings.filter(finding => finding !== undefined)
}

async function decide(
  deps: Deps,
  feed: Feed,
  { held, record }: { held: HeldLease; record: RunRecord },
  jobs: readonly RanJob[],
): Promise<Verdict> {
  const { snapshots } = record.plan
  // What was published once is not judged again.
  if (record.rollback) return { kind: 'proceed', loaded: 0, keys: 0, newestRows: record.rollback.rows }
  const replaced = await findReplaced(deps, feed, record.plan)
  if (replaced.length > 0) return { kind: 'stopped', findings: replaced }
  return planVerdict(feed, snapshots, await readInspections(deps, jobs), held.lease.last?.rows)
}

export function makeVerify(deps: Deps) {
  return async (body: unknown): Promise<VerifyAnswer> => {
    const request = parseRequest(verifyRequest, body)
    const feed = findFeed(deps, request.feed)
    const mine = await readHeldRun(deps, feed, request.holder, request.run)
    if (!mine) return { kind: 'lost' }
    const { plan } = mine.record
    const verdict = mine.record.verdict ?? (await decide(deps, feed, mine, request.jobs))
    const stopped =
      verdict.kind === 'stopped'
        ? makeStopped(feed, deps.names, deps.now(), plan, verdict.findings)
        : undefined
    const messages = mine.record.messages ?? stopped
    await deps.state.updateRun(feed.name, plan.run, { verdict, ...(messages && { messages }) })
    deps.log.info(
      { feed: feed.name, run: plan.run, snapshots: plan.snapshots.map(({ id }) => id), verdict },
      `verdict: ${verdict.kind}`,
    )
    return verdict.kind === 'proceed'
      ? { kind: 'proceed' }
      : { kind: 'stopped', messages: (messages ?? []).map(encodeEnvelope) }
  }
}
