/** The stages of a refresh, in order, each with what it does in a user's words. */
import type { StageName } from '../functions/plan/run-plan.ts'

export const STAGE_TITLES = {
  load: 'load          files → landing',
  inspect: 'inspect       is it whole and sane?',
  append: 'append        tables made ready',
  deduplicate: 'deduplicate   newest row per key',
  save: 'save          staging → rollback point',
  clone: 'clone         rollback point → target',
  announce: 'announce      tell the subscribers',
} as const satisfies Partial<Record<StageName, string>>
export type ShownStage = keyof typeof STAGE_TITLES

export function isShownStage(name: string): name is ShownStage {
  return Object.hasOwn(STAGE_TITLES, name)
}

export const SHOWN_STAGES: readonly ShownStage[] = Object.keys(STAGE_TITLES).filter(isShownStage)
