/** What must be true when the dust has settled: nothing is stuck, nothing is lost, nothing was done twice. */
import type { RefreshMessage } from '../../functions/message.ts'
import { fingerprintOf } from '../../functions/plan/ids.ts'
import { STATE } from './functions.ts'
import { listSettled, PATHS, readLease, readRun } from './records.ts'
import { applyRows, newestRows, type Reference } from './reference.ts'
import { type Decisions, END, QUIET } from './schedule.ts'
import { INBOX, type Setting } from './sources.ts'
import type { Generation, Store } from './store.ts'
import type { Row, Tables } from './tables.ts'

export interface Ended {
  readonly setting: Setting
  readonly store: Store
  readonly tables: Tables
  readonly reference: Reference
  readonly messages: readonly RefreshMessage[]
  readonly attached: ReadonlySet<string>
  readonly decisions: Decisions
}

function* findStuck({ store, attached, reference }: Ended): Generator<string> {
  const lease = readLease(store)
  if (lease?.holder !== undefined && Date.parse(lease.until) > END)
    yield `the lease is still held by ${lease.holder}`
  if (lease?.run !== undefined) yield `run ${lease.run} is still open`
  for (const { name } of store.list(STATE, PATHS.pending)) yield `${name} still waits`
  if (store.get(STATE, PATHS.rollback)) yield 'a rollback still waits'
  for (const run of attached) if (!reference.closed.has(run)) yield `run ${run} was never closed`
}

function* findTableTrouble({ tables, reference, setting, decisions }: Ended): Generator<string> {
  for (const name of tables.keys()) if (name.startsWith('p.landing.')) yield `${name} was left behind`
  const target = tables.get('p.serving.sim')
  const staging = tables.get('p.staging.sim')
  if (target && reference.show(target.rows) !== reference.show(reference.rows))
    yield 'the target is not what was published last'
  if (staging && reference.show(staging.rows) !== reference.show(reference.rows))
    yield 'staging is not what was published last'
  if (staging && newestRows(staging.rows).length !== staging.rows.length) yield 'staging is not unique by key'
  const wentBack = decisions.done.some(({ what }) => what === 'rollback') || hasRollback(reference)
  if (setting.missingRows === 'delete' || wentBack) return
  // Under keep nothing that was ever let pass is lost: applied one after the other, it makes the table.
  const all = [...reference.applied.values()].reduce<readonly Row[]>(
    (rows, of) => applyRows(rows, of.rows),
    [],
  )
  if (target && reference.show(target.rows) !== reference.show(all))
    yield 'the target is not the newest of all that was applied, in its order'
}
const hasRollback = (reference: Reference) => [...reference.closed.values()].some(({ rollback }) => rollback)

/** What lies in the inbox as a whole snapshot now, or nothing; `broken` when its head can't be read. */
function collect(
  store: Store,
  setting: Setting,
  id: string,
): { files: Generation[]; broken: boolean } | undefined {
  const single = store.get(INBOX, `sim/${id}.ndjson`)
  const parts = store.list(INBOX, `sim/${id}/part-`)
  const completing = store.get(
    INBOX,
    `sim/${id}/${setting.complete === 'marker' ? '_SUCCESS' : 'manifest.json'}`,
  )
  let files = parts
  if (setting.complete === 'single-file') files = single ? [single] : []
  else if (!completing) return undefined
  if (setting.complete === 'manifest' && completing) {
    const listed: { files: { name: string }[] } = JSON.parse(completing.text)
    files = listed.files.flatMap(({ name }) => parts.find(part => part.name.endsWith(`/${name}`)) ?? [])
    if (files.length < listed.files.length) return undefined
  }
  return files.length === 0
    ? undefined
    : { files, broken: files.some(({ text }) => text.includes('no JSON')) }
}

/** Whole snapshots that did not come to an end, or came to a wrong one. */
function* findLost({ store, setting, messages, reference }: Ended): Generator<string> {
  const settled = new Map(listSettled(store).map(entry => [entry.snapshot, entry]))
  const ids = new Set(store.list(INBOX, 'sim/').map(({ name }) => /\d+/.exec(name)?.[0] ?? ''))
  for (const id of ids) {
    const found = collect(store, setting, id)
    if (!found) continue
    if (found.broken) {
      const told = messages.some(({ status, snapshots }) => status === 'rejected' && `${snapshots}` === id)
      if (!told) yield `snapshot ${id} can't be read, and nobody was told`
      continue
    }
    const ended = settled.get(id)
    const prints = [false, true].map(approved => fingerprintOf({ files: found.files, approved }))
    if (!ended || !prints.includes(ended.fingerprint)) yield `snapshot ${id} as it lies there never ended`
    else if (ended.outcome === 'refreshed' || ended.outcome === 'unchanged')
      yield* checkRefreshed(reference, id, ended.run, found.files)
  }
}

function* checkRefreshed(reference: Reference, id: string, run: string, files: readonly Generation[]) {
  const delivery = `${id}: ${files.map(({ name, generation }) => `${name}#${generation}`).toSorted()}`
  const applied = reference.applied.get(delivery)
  if (applied?.run !== run) yield `snapshot ${id} is said to be in run ${run}, and is in ${applied?.run}`
}

/** The workflow sends JSON with its keys in another order. */
const showMessage = ({ run, status, snapshots, finishedAt, reason, rows }: RefreshMessage) =>
  JSON.stringify([run, status, snapshots, finishedAt, reason, rows.before, rows.loaded, rows.after])

function* findUntold({ store, messages, reference }: Ended): Generator<string> {
  const sent = new Set(messages.map(showMessage))
  for (const [run, { messages: told = [] }] of reference.closed) {
    if (told.length === 0) yield `run ${run} has no receipt`
    for (const message of told)
      if (!sent.has(showMessage(message))) yield `a message of run ${run} was never sent`
  }
  for (const { status, run } of messages) {
    const receipts = readRunOrNothing(store, run)?.messages ?? []
    if (status === 'refreshed' && receipts.length !== 1)
      yield `run ${run} was told with ${receipts.length} receipts`
  }
}

/** Once nothing goes wrong any more, objects that are wrong are told once and not by every sweep. */
function* findRepeated({ messages }: Ended): Generator<string> {
  const calm = messages.filter(({ finishedAt }) => Date.parse(finishedAt) > QUIET - 60 * 60_000)
  const seen = new Set<string>()
  for (const { status, run, snapshots } of calm) {
    const key = `${status} ${snapshots} ${run}`
    if (status === 'rejected' && seen.has(key)) yield `told again and again: ${key}`
    seen.add(key)
  }
}

function readRunOrNothing(store: Store, run: string) {
  return store.get(STATE, `${PATHS.runs}${run}.json`) ? readRun(store, run) : undefined
}

/** People were told that something was done: then it was. */
function* findBroken({ decisions, reference, store }: Ended): Generator<string> {
  const runs = [...reference.closed.values()]
  const settled = new Map(listSettled(store).map(entry => [entry.snapshot, entry]))
  for (const { what, snapshot, fingerprint, at, to } of decisions.done) {
    const has = ({ plan }: (typeof runs)[number]) => plan.snapshots.some(planned => planned.id === snapshot)
    if (
      what === 'approve' &&
      settled.get(snapshot)?.outcome === 'held' &&
      settled.get(snapshot)?.fingerprint === fingerprint
    )
      yield `snapshot ${snapshot} was approved, and is held as before`
    if (what === 'reject') {
      const later = runs.filter(run => has(run) && Date.parse(run.plannedAt) > at)
      const same = later.find(({ plan }) =>
        plan.snapshots.some(
          planned =>
            planned.id === snapshot && planned.approved && settled.get(snapshot)?.fingerprint === fingerprint,
        ),
      )
      if (same) yield `snapshot ${snapshot} was rejected, and run ${same.plan.run} took it all the same`
    }
    if (what !== 'rollback') continue
    const done = runs.some(({ rollback }) => rollback?.to === to)
    const replaced = decisions.done.some(other => other.what === 'rollback' && other.to !== to)
    if (!done && !replaced) yield `the rollback to ${to} was never done`
  }
}

export function findTrouble(ended: Ended): string[] {
  return [findStuck, findTableTrouble, findLost, findUntold, findRepeated, findBroken].flatMap(find => [
    ...find(ended),
  ])
}
