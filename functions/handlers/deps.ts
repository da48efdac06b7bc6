/** What the handlers are given: ports, state, feeds, a clock. Nothing here is a client. */
import { FreshetError } from '../errors.ts'
import type { Feed } from '../feed/feed.ts'
import type { Log, Objects, Topic, Warehouse, Workflows } from '../gcp/ports.ts'
import type { Warehouse as WarehouseNames } from '../plan/run-plan.ts'
import type { State } from '../state/state.ts'

export interface Deps {
  readonly feeds: ReadonlyMap<string, Feed>
  readonly state: State
  readonly objects: Objects
  readonly warehouse: Warehouse
  readonly workflows: Workflows
  readonly topic: Topic
  readonly names: WarehouseNames
  /** Milliseconds since 1970. */
  now(): number
  readonly log: Log
}

export function findFeed({ feeds }: Deps, name: string): Feed {
  const feed = feeds.get(name)
  if (feed) return feed
  const known = [...feeds.keys()].join(', ') || 'none'
  throw new FreshetError({
    code: 'unknown-feed',
    message: `There is no feed ${name}.`,
    hint: `The feeds are: ${known}.`,
  })
}
