/** What every component of a stack is given: its settings, its names and its feeds. */

import type { Names } from './names.ts'
import type { StackFeeds } from './read-feeds.ts'
import type { Settings } from './settings.ts'

export interface Stack extends StackFeeds {
  readonly settings: Settings
  readonly names: Names
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
export const servingDatasets = ({ feeds, changeFeeds }: StackFeeds): readonly string[] =>
  [...new Set([...feeds, ...changeFeeds].map(({ table }) => table.datasetId))].toSorted()
