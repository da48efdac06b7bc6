/** Reads a golden case of the planner: feed.yaml, snapshots.json and state.json in, plan.json out. */
import { readdirSync, readFileSync } from 'node:fs'
import type { Feed } from '../../functions/feed/feed.ts'
import { parseFeed } from '../../functions/feed/parse-feed.ts'
import type { PendingSnapshot, RunState } from '../../functions/plan/run-plan.ts'

const folder = new URL('../cases/plans/', import.meta.url)

export interface PlanCase {
  readonly name: string
  readonly feed: Feed
  readonly snapshots: readonly PendingSnapshot[]
  readonly state: RunState
}

export function readFeedText(text: string, file = 'feed.yaml'): Feed {
  const parsed = parseFeed(text, file)
  if (parsed.kind === 'feed') return parsed.feed
  throw new Error(
    parsed.problems.map(({ line, path, message }) => `${file}:${line} ${path} ${message}`).join('\n'),
  )
}

export function readPlanCases(): PlanCase[] {
  const read = (name: string, file: string) => readFileSync(new URL(`${name}/${file}`, folder), 'utf8')
  return readdirSync(folder).map(name => ({
    name,
    feed: readFeedText(read(name, 'feed.yaml'), `${name}/feed.yaml`),
    snapshots: JSON.parse(read(name, 'snapshots.json')),
    state: JSON.parse(read(name, 'state.json')),
  }))
}
