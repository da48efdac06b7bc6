/** The composition root: reads the environment, builds the adapters, registers the functions. */
import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { cloudEvent, http } from '@google-cloud/functions-framework'
import { parseConfig } from './config.ts'
import { makeWarehouse } from './gcp/bigquery.ts'
import { readFeeds } from './gcp/feeds.ts'
import { makeLog } from './gcp/log.ts'
import { makeOpenDatabase } from './gcp/postgres.ts'
import { makeTopic } from './gcp/pubsub.ts'
import { makeRowsOut } from './gcp/rows-out.ts'
import { makeObjects } from './gcp/storage.ts'
import { makeWorkflows } from './gcp/workflows.ts'
import { makeChangeStreams } from './gcp/write-stream.ts'
import { makeApply } from './handlers/apply.ts'
import type { ChangeDeps } from './handlers/change-deps.ts'
import { makeComplete } from './handlers/complete.ts'
import type { Deps } from './handlers/deps.ts'
import { makeFail } from './handlers/fail.ts'
import { makeOnObject } from './handlers/on-object.ts'
import { makePlan } from './handlers/plan.ts'
import { makeEvent, makeHttp } from './handlers/serve.ts'
import { makeSweep } from './handlers/sweep.ts'
import { makeSweepChanges } from './handlers/sweep-changes.ts'
import { makeTakeChangeFile } from './handlers/take-change-file.ts'
import { makeVerify } from './handlers/verify.ts'
import { FUNCTIONS } from './names.ts'
import { makeChangeStatus } from './operations/change-status.ts'
import { makeCorrect } from './operations/correct.ts'
import { makeApprove, makeReject } from './operations/decide-held.ts'
import { makeReceipts } from './operations/receipts.ts'
import { makeRollback } from './operations/rollback.ts'
import { makeStatus } from './operations/status.ts'
import { makeServe, type ServeDeps } from './serving/serve.ts'
import { makeDeliveries } from './state/deliveries.ts'
import { makeState } from './state/state.ts'

export { previewChanges } from './operations/preview-changes.ts'

type Env = Readonly<Record<string, string | undefined>>

function makeDeps(env: Env): { readonly deps: Deps; readonly changes: ChangeDeps } {
  const config = parseConfig(env)
  const { projectId, location, region, endpoints, landing, staging, inbox, topic } = config
  const { workflow, applyWorkflow } = config
  const objects = makeObjects({ projectId, apiEndpoint: endpoints.storage })
  const warehouse = makeWarehouse({ projectId, apiEndpoint: endpoints.bigquery })
  const endpoint = endpoints.workflows
  const workflows = makeWorkflows({ projectId, region, workflow, applyWorkflow, endpoint })
  const { feeds, changeFeeds } = readFeeds(config.feeds)
  const deps: Deps = {
    feeds,
    state: makeState(objects, config.state, Date.now),
    objects,
    warehouse,
    workflows,
    topic: makeTopic({ projectId, topic }),
    names: { projectId, location, landing, staging, inbox },
    now: Date.now,
    log: makeLog(config.logFile),
  }
  const changes: ChangeDeps = {
    ...deps,
    changeFeeds,
    objects,
    warehouse,
    applies: workflows,
    streams: makeChangeStreams({ projectId, apiEndpoint: endpoints.bigquery }),
    deliveries: makeDeliveries(objects, config.state, Date.now),
    nonce: randomUUID,
    sleep: ms => setTimeout(ms),
  }
  return { deps, changes }
}

function makeServeDeps(env: Env, deps: Deps): ServeDeps {
  const { projectId, endpoints } = parseConfig(env)
  const rowsOut = makeRowsOut({ projectId, apiEndpoint: endpoints.bigquery })
  return { ...deps, rowsOut, openDatabase: makeOpenDatabase(env), sleep: setTimeout }
}

/** What a person does, on a laptop and on Google Cloud alike: it works on the state bucket with the caller's rights. */
export function makeOperations(env: Env) {
  const { deps, changes } = makeDeps(env)
  return {
    changeStatus: makeChangeStatus(changes),
    serve: makeServe(makeServeDeps(env, deps)),
    approve: makeApprove(deps),
    correct: makeCorrect(deps),
    reject: makeReject(deps),
    receipts: makeReceipts(deps),
    rollback: makeRollback(deps),
    status: makeStatus(deps),
  }
}

/** Registers every function with the functions framework; a second call replaces the first. */
export function register(env: Env): void {
  const { deps, changes } = makeDeps(env)
  const { log } = deps
  const onObject = makeOnObject(deps, makeTakeChangeFile(changes))
  const sweep = makeSweep(deps, makeSweepChanges(changes))
  cloudEvent(FUNCTIONS.onObject, makeEvent(FUNCTIONS.onObject, log, onObject))
  http(FUNCTIONS.plan, makeHttp(FUNCTIONS.plan, log, makePlan(deps)))
  http(FUNCTIONS.verify, makeHttp(FUNCTIONS.verify, log, makeVerify(deps)))
  http(FUNCTIONS.complete, makeHttp(FUNCTIONS.complete, log, makeComplete(deps)))
  http(FUNCTIONS.fail, makeHttp(FUNCTIONS.fail, log, makeFail(deps)))
  http(FUNCTIONS.sweep, makeHttp(FUNCTIONS.sweep, log, sweep))
  http(FUNCTIONS.apply, makeHttp(FUNCTIONS.apply, log, makeApply(changes)))
}

// The platform names the one function that an instance serves; a laptop calls `register` itself.
if (process.env.FUNCTION_TARGET !== undefined) register(process.env)
