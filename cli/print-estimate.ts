/** Prints an estimate for people: what it rests on, the ways side by side, what to look out for, what to buy. */
import Table from 'cli-table3'
import { stringify } from 'yaml'
import type { Estimate } from '../functions/estimate/estimate.ts'
import type { Measured } from '../functions/estimate/receipts.ts'
import type { Sources } from './estimate-input.ts'
import { describeFigures, formatBinary, formatDollars, formatMinutes } from './estimate-rows.ts'
import { type Output, printLine } from './io.ts'
import { formatCount, formatNumberOf } from './quantity.ts'

/** An estimate with where its figures come from: also what `--json` prints. */
export interface ShownEstimate extends Estimate {
  readonly sources: Sources
  readonly pricesAsOf: string
  readonly assumptionsAsOf: string
  readonly measured?: Measured
}

const FROM = {
  given: 'given',
  receipts: 'from receipts',
  feed: 'from the feed',
  assumed: 'assumed',
  'column types': 'from the column types',
}

/** What the estimate rests on, a line each. */
export function describeBasis({
  workload,
  fullWritesADay,
  sources,
  measured,
  pricesAsOf,
  assumptionsAsOf,
}: ShownEstimate): string[] {
  const { rows, bytes, changed, partitions, changedPartitions, runsADay, withinSeconds } = workload
  const percent = (100 * changed).toLocaleString('en-US', { maximumFractionDigits: 4 })
  const lines = [
    `${formatCount(rows)} rows (${FROM[sources.rows]}), ${formatBinary(bytes)} of table (${FROM[sources.bytes]})`,
    `${percent} % of the rows change (${FROM[sources.changed]})`,
  ]
  if (partitions > 0)
    lines.push(
      `${formatNumberOf(partitions, 'partition')} (${FROM[sources.partitions]}), changes in ${formatCount(changedPartitions)} of them (${FROM[sources.changedPartitions]}); a table may be written whole ${formatCount(fullWritesADay)} times a day`,
    )
  lines.push(
    `${runsADay.toLocaleString('en-US', { maximumFractionDigits: 1 })} runs a day (${FROM[sources.runsADay]}), each within ${formatCount(Math.round(withinSeconds / 60))} minutes (from the feed)`,
  )
  if (measured)
    lines.push(
      `${formatNumberOf(measured.runs, 'run')} seen: ${formatMinutes(measured.within.median)} in the middle, ${formatMinutes(measured.within.worst)} at worst`,
    )
  return [
    ...lines,
    `prices of ${pricesAsOf}, assumptions of ${assumptionsAsOf}; docs/estimate.md says what they are worth`,
  ]
}

/** One sentence: what is cheapest for the feed's own strategy and keeps the promise. */
export function describeChoice({ ways, strategy }: Estimate): string {
  const choice = ways.find(({ name }) => name === strategy)?.choice
  if (!choice)
    return `Nothing that BigQuery sells keeps the promise with ${strategy}; give the feed more minutes.`
  const price = `about ${formatDollars(choice.money.month)} a month`
  if (choice.edition === 'ON_DEMAND') return `Cheapest with ${strategy}: on demand, ${price}.`
  const edition = choice.edition.replace('_', ' ')
  const plan = {
    AUTOSCALE: 'autoscaled',
    ANNUAL: 'for a year',
    THREE_YEAR: 'for three years',
    BY_THE_BYTE: '',
  }
  return `Cheapest with ${strategy}: ${formatCount(choice.slots)} slots of ${edition}, ${plan[choice.plan]}, ${price}.`
}

/** How far the recommendation may be off; empty once receipts have measured it, or where it buys nothing. */
export function describeDoubt({ slotRange, capacity }: Estimate): string {
  if (!slotRange || !capacity?.enabled) return ''
  const { offBy, least, most } = slotRange
  return `No receipt has measured these slots: off by a factor of ${offBy} either way, it takes ${formatCount(least)} to ${formatCount(most)}.`
}

/** The lines that go below `config:` of a stack's file. */
export const describeCapacity = ({ capacity }: Estimate): string =>
  capacity ? stringify({ config: { 'freshet:capacity': capacity } }).trimEnd() : ''

export function printEstimate(output: Output, shown: ShownEstimate): void {
  printLine(output, `${shown.feed} → ${shown.table}`)
  for (const line of describeBasis(shown)) printLine(output, `  ${line}`)
  const table = new Table({
    head: ['', ...shown.ways.map(({ name }) => (name === shown.strategy ? `${name} *` : name))],
    colAligns: ['left', ...shown.ways.map(() => 'right' as const)],
    style: { head: output.isTTY ? ['bold'] : [], border: [], compact: true },
  })
  for (const { label, cells } of describeFigures(shown)) table.push([label, ...cells])
  printLine(output)
  printLine(output, table.toString())
  printLine(output, '* the strategy of the feed')
  for (const { name, notes, impossible } of shown.ways) {
    if (impossible !== undefined) printLine(output, `${name}: not possible, ${impossible}.`)
    for (const note of notes) printLine(output, `${name}: ${note}`)
  }
  if (shown.warnings.length > 0) printLine(output)
  for (const warning of shown.warnings) printLine(output, `warning: ${warning}.`)
  printLine(output)
  printLine(output, describeChoice(shown))
  const doubt = describeDoubt(shown)
  if (doubt !== '') printLine(output, doubt)
  printLine(output, describeCapacity(shown))
}
