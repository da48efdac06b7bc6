/** What every component of a stack is given: its settings, its names and its feeds. */
import type { Feed } from '../functions/feed/feed.ts'
import type { Names } from './names.ts'
import type { Settings } from './settings.ts'

export interface Stack {
  readonly settings: Settings
  readonly names: Names
  readonly feeds: readonly Feed[]
  /** The repository's root: sources, workflow and feeds are read from there. */
  readonly root: string
}

/**
 * For what holds data. Pulumi refuses to remove it; and when it is unprotected on purpose, the data stays and is only
 * forgotten. `freshet:destroyData` turns both off.
 */
export function guardOf({ settings: { destroyData } }: Stack): { protect: boolean; retainOnDelete: boolean } {
  return { protect: !destroyData, retainOnDelete: !destroyData }
}

/** The datasets that the feeds serve from, each once. */
export const servingDatasets = ({ feeds }: Pick<Stack, 'feeds'>): readonly string[] =>
  [...new Set(feeds.map(({ table }) => table.datasetId))].toSorted()
