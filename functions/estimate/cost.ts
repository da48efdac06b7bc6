/** What a way costs on demand, where the bytes that queries read are paid and slots are not. */
import type { Prices } from './rates.ts'
import { GIB, type Step, sumOf, TIB } from './step.ts'

export const HOURS_A_MONTH = 730
export const DAYS_A_MONTH = HOURS_A_MONTH / 24

/** US dollars. */
export interface Money {
  readonly run: number
  readonly day: number
  readonly month: number
}

export const moneyOf = (run: number, runsADay: number): Money => ({
  run,
  day: run * runsADay,
  month: run * runsADay * DAYS_A_MONTH,
})

/** 30 TiB at 6.25 dollars are 187.50. */
export const priceOfBytes = (bytes: number, { onDemandPerTiB }: Pick<Prices, 'onDemandPerTiB'>): number =>
  (bytes / TIB) * onDemandPerTiB

/** Slot-hours that the same money buys: 85.25 dollars are 1,421 at 0.06. */
export const slotHoursFor = (dollars: number, slotHour: number): number => dollars / slotHour

/** Streaming is paid by the byte whatever the queries run on. */
export const priceOfStreaming = (steps: readonly Step[], prices: Prices): number =>
  (sumOf(steps, 'streamedBytes') / GIB) * prices.streamedPerGiB

/** A query pays for 10 MB at least: https://cloud.google.com/bigquery/pricing#on_demand_pricing */
const LEAST_BYTES = 10 * 2 ** 20

export const priceOnDemand = (steps: readonly Step[], prices: Prices): number => {
  const queries = steps.filter(({ scannedBytes }) => scannedBytes > 0)
  const billed = queries.reduce((sum, { scannedBytes }) => sum + Math.max(scannedBytes, LEAST_BYTES), 0)
  return priceOfBytes(billed, prices) + priceOfStreaming(steps, prices)
}
