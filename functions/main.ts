/** The composition root: reads the environment, builds the adapters, registers the functions. */
import { cloudEvent, http } from '@google-cloud/functions-framework'
import { parseConfig } from './config.ts'
import { makeWarehouse } from './gcp/bigquery.ts'
import { readFeeds } from './gcp/feeds.ts'
import { makeLog } from './gcp/log.ts'
import { makeTopic } from './gcp/pubsub.ts'
import { makeObjects } from './gcp/storage.ts'
import { makeWorkflows } from './gcp/workflows.ts'
import { makeComplete } from './handlers/complete.ts'
import type { Deps } from './handlers/deps.ts'
import { makeFail } from './handlers/fail.ts'
import { makeOnObject } from './handlers/on-object.ts'
import { makePlan } from './handlers/plan.ts'
import { makeEvent, makeHttp } from './handlers/serve.ts'
import { makeSweep } from './handlers/sweep.ts'
import { makeVerify } from './handlers/verify.ts'
import { FUNCTIONS } from './names.ts'
import { makeApprove, makeReject } from './operations/decide-held.ts'
import { makeReceipts } from './operations/receipts.ts'
import { makeRollback } from './operations/rollback.ts'
import { makeStatus } from './operations/status.ts'
import { makeState } from './state/state.ts'

function makeDeps(env: Readonly<Record<string, string | undefined>>): Deps {
  const config = parseConfig(env)
  const { projectId, location, region, endpoints, landing, staging, inbox, topic, workflow } = config
  const objects = makeObjects({ projectId, apiEndpoint: endpoints.storage })
  return {
    feeds: readFeeds(config.feeds),
    state: makeState(objects, config.state, Date.now),
    objects,
    warehouse: makeWarehouse({ projectId, apiEndpoint: endpoints.bigquery }),
    workflows: makeWorkflows({ projectId, region, workflow, endpoint: endpoints.workflows }),
    topic: makeTopic({ projectId, topic }),
    names: { projectId, location, landing, staging, inbox },
    now: Date.now,
    log: makeLog(config.logFile),
  }
}

/** What a person does, on a laptop and on Google Cloud alike: it works on the state bucket with the caller's rights. */
export function makeOperations(env: Readonly<Record<string, string | undefined>>) {
  const deps = makeDeps(env)
  return {
    approve: makeApprove(deps),
    reject: makeReject(deps),
    receipts: makeReceipts(deps),
    rollback: makeRollback(deps),
    status: makeStatus(deps),
  }
}

/** Registers every function with the functions framework; a second call replaces the first. */
export function register(env: Readonly<Record<string, string | undefined>>): void {
  const deps = makeDeps(env)
  const { log } = deps
  cloudEvent(FUNCTIONS.onObject, makeEvent(FUNCTIONS.onObject, log, makeOnObject(deps)))
  http(FUNCTIONS.plan, makeHttp(FUNCTIONS.plan, log, makePlan(deps)))
  http(FUNCTIONS.verify, makeHttp(FUNCTIONS.verify, log, makeVerify(deps)))
  http(FUNCTIONS.complete, makeHttp(FUNCTIONS.complete, log, makeComplete(deps)))
  http(FUNCTIONS.fail, makeHttp(FUNCTIONS.fail, log, makeFail(deps)))
  http(FUNCTIONS.sweep, makeHttp(FUNCTIONS.sweep, log, makeSweep(deps)))
}

// The platform names the one function that an instance serves; a laptop calls `register` itself.
if (process.env.FUNCTION_TARGET !== undefined) register(process.env)
