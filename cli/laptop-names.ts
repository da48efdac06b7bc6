/** What the things are called on a laptop; names of buckets are the deployment's to choose. */
import { APPLY_WORKFLOW, DATASETS, TOPIC, WORKFLOW } from '../functions/names.ts'

export const NAMES = {
  project: 'freshet-local',
  /** Of buckets, datasets and the workflow. */
  location: 'us-central1',
  inbox: 'freshet-inbox',
  state: 'freshet-state',
  landing: DATASETS.landing,
  staging: DATASETS.staging,
  topic: TOPIC,
  workflow: WORKFLOW,
  applyWorkflow: APPLY_WORKFLOW,
  /** The subscription through which `freshet try` hears of the end of a run. */
  subscription: 'freshet-cli',
} as const
