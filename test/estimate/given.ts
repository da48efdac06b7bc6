/** Workloads for the tests of estimates, with the rates that are shipped. */
import { readFileSync } from 'node:fs'
import { type EstimateInput, estimateFeed } from '../../functions/estimate/estimate.ts'
import { assumptionsSchema, parseRates, pricesSchema } from '../../functions/estimate/rates.ts'
import { measureRow } from '../../functions/estimate/row-width.ts'
import { countPartitions, type Workload } from '../../functions/estimate/workload.ts'
import type { Feed } from '../../functions/feed/feed.ts'
import { readFeedText } from '../support/plan-case.ts'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
export const PRICES = parseRates(pricesSchema, [read('functions/estimate/prices.yaml')])
export const ASSUMED = parseRates(assumptionsSchema, [read('functions/estimate/assumptions.yaml')])

const RETAIL = read('feeds/store-attributes.yaml')
/** The retail feed, with a text of its file replaced. */
export const retail = (was = '', is = ''): Feed => readFeedText(RETAIL.replace(was, is))

const FEED = retail()

export function workloadOf(feed: Feed, given: Partial<Workload> = {}): Workload {
  const width = measureRow(feed, ASSUMED.variableBytes)
  const bytes = given.bytes ?? 15e12
  return {
    rows: Math.round(bytes / width.row),
    bytes,
    changed: 0.001,
    partitions: countPartitions(feed) ?? 0,
    changedPartitions: 14,
    runsADay: 6,
    withinSeconds: 3_600,
    width,
    ...given,
  }
}

export function estimate(given: Partial<Workload> = {}, over: Partial<EstimateInput> = {}) {
  const feed = over.feed ?? FEED
  return estimateFeed({
    feed,
    workload: workloadOf(feed, given),
    prices: PRICES,
    assumptions: ASSUMED,
    slotMsPerGiB: {},
    ...over,
  })
}

export function wayOf(result: ReturnType<typeof estimate>, name: string) {
  const way = result.ways.find(one => one.name === name)
  if (!way) throw new Error(`no way ${name}`)
  return way
}
