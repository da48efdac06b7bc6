/** What the things are called on a laptop; names of buckets are the deployment's to choose. */
import { DATASETS, TOPIC, WORKFLOW } from '../functions/names.ts'

export const NAMES = {
  project: 'freshet-local',
  location: 'US',
  inbox: 'freshet-inbox',
  state: 'freshet-state',
  landing: DATASETS.landing,
  staging: DATASETS.staging,
  topic: TOPIC,
  workflow: WORKFLOW,
  /** The embedded cloud's one region. */
  region: 'us-central1',
  /** The subscription through which `freshet try` hears of the end of a run. */
  subscription: 'freshet-cli',
} as const
