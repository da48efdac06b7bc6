/** Reads what the functions wrote into the state bucket, as anyone may with a tool of Cloud Storage. */
import type { RunPlan } from '../../functions/plan/run-plan.ts'
import type { Lease, RunRecord, Settled } from '../../functions/state/records.ts'
import { STATE } from './functions.ts'
import { FEED, readRows, type Setting } from './sources.ts'
import type { Store } from './store.ts'
import type { Row } from './tables.ts'

export type Run = RunRecord
export const PATHS = {
  lease: `${FEED}/lease.json`,
  runs: `${FEED}/runs/`,
  settled: `${FEED}/settled/`,
  pending: `${FEED}/pending/`,
  rollback: `${FEED}/rollback.json`,
}

export function readRun(store: Store, run: string): RunRecord {
  const found = store.get(STATE, `${PATHS.runs}${run}.json`)
  if (!found) throw new Error(`run ${run} has no record`)
  return JSON.parse(found.text)
}

export function readLease(store: Store): Lease | undefined {
  const found = store.get(STATE, PATHS.lease)
  return found && JSON.parse(found.text)
}

export function listSettled(store: Store): (Settled & { readonly snapshot: string })[] {
  return store.list(STATE, PATHS.settled).map(({ name, text }) => ({
    snapshot: name.slice(PATHS.settled.length, -'.json'.length),
    ...(JSON.parse(text) as Settled),
  }))
}

/** The rows of a planned snapshot, of exactly the generations in the plan; `undefined` when a value is wrong. */
export function snapshotRows(store: Store, plan: RunPlan, id: string, setting: Setting): Row[] | undefined {
  const texts = plan.uriLists
    .filter(({ snapshot }) => snapshot === id)
    .flatMap(({ bucket, files }) =>
      files.map(({ name, generation }) => store.past(bucket, name, generation)?.text ?? ''),
    )
  return readRows(texts, setting, id)
}

/** Whether an object of the snapshot is not the one of the plan any more. */
export const isReplaced = (store: Store, plan: RunPlan, id: string): boolean =>
  plan.uriLists
    .filter(({ snapshot }) => snapshot === id)
    .some(({ bucket, files }) =>
      files.some(({ name, generation }) => store.get(bucket, name)?.generation !== generation),
    )
