/** A table is kept by the model that it was written by: rows that one key tells apart may be the same by another. */
import { FreshetError } from '../errors.ts'
import { extendFeed, type Feed } from '../feed/feed.ts'
import { hashOf } from './ids.ts'
import type { RunPlan, RunState } from './run-plan.ts'

/** Such as `unique by id, name`; the order of the key's columns does not count. */
export const describeModel = ({ model }: Feed): string =>
  `${model.kind} by ${model.key
    .map(name => name.toLowerCase())
    .toSorted()
    .join(', ')}`

/**
 * Rows of staging that have become the same key are no matter of one snapshot: most refreshes never look at them.
 * Throws `FreshetError` `schema-drift`.
 */
export function checkModel(feed: Feed, { staging, last }: RunState): void {
  const model = describeModel(feed)
  if (!staging || last?.model === undefined || last.model === model) return
  throw new FreshetError({
    code: 'schema-drift',
    message: `The staging table of ${feed.name} is ${last.model}, and the feed says ${model}.`,
    hint: 'Change the key back, or give the feed another name: docs/feeds.md, "Changing a feed".',
  })
}

/** The model by which staging is kept once a run is over: its own, unless the feed was changed while it went on. */
export function keptModel(feed: Feed, plan: RunPlan, before: string | undefined): string | undefined {
  const same = plan.kind === 'refresh' && plan.feedHash === hashOf(extendFeed(feed, plan.added ?? []))
  return same ? describeModel(feed) : before
}
