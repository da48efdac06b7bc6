/** The stages of workflows/refresh.yaml, in order, with what each one does in a user's words. */

export const STAGES = {
  load: 'load          files → landing',
  inspect: 'inspect       is it whole and sane?',
  append: 'append        landing → staging',
  deduplicate: 'deduplicate   newest row per key',
  save: 'save          staging → rollback point',
  clone: 'clone         rollback point → target',
  announce: 'announce      tell the subscribers',
} as const
export type StageName = keyof typeof STAGES

export function isStage(name: string): name is StageName {
  return Object.hasOwn(STAGES, name)
}
