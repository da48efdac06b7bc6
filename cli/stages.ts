/** The stages of a run, each with what it does in a user's words. */
import { STAGES, type StageName } from '../functions/plan/run-plan.ts'

export const STAGE_TITLES: Readonly<Record<StageName, string>> = {
  load: 'load          files → landing',
  inspect: 'inspect       is it whole and sane?',
  append: 'append        landing → staging',
  deduplicate: 'deduplicate   newest row per key',
  save: 'save          staging → rollback point',
  clone: 'clone         rollback point → target',
  announce: 'announce      tell the subscribers',
}

export function isStage(name: string): name is StageName {
  return STAGES.some(stage => stage === name)
}
