/** Reads a golden case of the planner: feed.yaml, snapshots.json and state.json in, plan.json out. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type { Feed } from '../../functions/feed/feed.ts'
import { parseFeed } from '../../functions/feed/parse-feed.ts'
import type { Applied } from '../../functions/plan/applied.ts'
import { parseFound } from '../../functions/plan/found.ts'
import { planApply } from '../../functions/plan/plan-apply.ts'
import type { PendingSnapshot, RunPlan, RunState, Stage } from '../../functions/plan/run-plan.ts'
import type { ResultRow } from '../../functions/plan/stages/inspect.ts'

const folder = new URL('../cases/plans/', import.meta.url)

export interface PlanCase {
  readonly name: string
  readonly feed: Feed
  readonly snapshots: readonly PendingSnapshot[]
  readonly state: RunState
  /** What the jobs of inspect answer; then there is an applied.json as well. */
  readonly found?: readonly ResultRow[]
}

/** What is applied in the end, where the case says what was found. */
export function applyCase({ feed, state, found }: PlanCase, plan: RunPlan): Applied | undefined {
  if (!found) return undefined
  return planApply(feed, plan, parseFound(feed, plan, found), state.warehouse)
}

/** Every statement of some jobs, scripts taken apart. */
export const statementsOf = (stages: readonly Stage[]): string[] =>
  stages.flatMap(({ jobs }) =>
    jobs.flatMap(({ configuration: { query } }) =>
      query
        ? String(query.query)
            .split(';\n\n')
            .map(text => text.replace(/;$/, ''))
        : [],
    ),
  )

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
    ...(existsSync(new URL(`${name}/found.json`, folder)) && { found: JSON.parse(read(name, 'found.json')) }),
  }))
}
