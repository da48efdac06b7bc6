/** What everything is called in one stack: one prefix before every name, each within Google's limits. */
import type { FUNCTIONS } from '../functions/names.ts'

export type FunctionKey = keyof typeof FUNCTIONS

/** `onObject` → `on-object`: how a part is called in names. */
export const partOf = (key: FunctionKey): string =>
  key.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)

export interface Names {
  readonly prefix: string
  readonly inbox: string
  readonly state: string
  readonly source: string
  readonly landing: string
  readonly staging: string
  readonly messages: string
  readonly topic: string
  readonly deadLetters: string
  readonly deadEvents: string
  readonly workflow: string
  readonly applyWorkflow: string
  functionOf(key: FunctionKey): string
  accountOf(part: string): string
  roleOf(part: string): string
  metricOf(part: string): string
}

/** `-` is no good in the names of datasets and custom roles. */
const underscored = (text: string) => text.replaceAll('-', '_')

export function makeNames({ project, prefix }: { readonly project: string; readonly prefix: string }): Names {
  // Bucket names are the whole world's, so that they start with the project, which is too.
  const bucket = (part: string) => `${project.replace(':', '-').replaceAll('.', '-')}-${prefix}-${part}`
  const dataset = (part: string) => `${underscored(prefix)}_${part}`
  return {
    prefix,
    inbox: bucket('inbox'),
    state: bucket('state'),
    source: bucket('src'),
    landing: dataset('landing'),
    staging: dataset('staging'),
    messages: dataset('messages'),
    topic: `${prefix}-refreshed`,
    deadLetters: `${prefix}-dead-letters`,
    deadEvents: `${prefix}-dead-events`,
    workflow: `${prefix}-refresh`,
    applyWorkflow: `${prefix}-apply-changes`,
    functionOf: key => `${prefix}-${partOf(key)}`,
    accountOf: part => `${prefix}-${part}`,
    roleOf: part => dataset(part).replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
    metricOf: part => `${prefix}-${part}`,
  }
}
