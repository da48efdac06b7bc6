/** `npm run bench:bigquery`: what a refresh is made of, on a real project, asked for in so many words. bench/README.md */
import { parseArgs } from 'node:util'
import { BigQuery } from '@google-cloud/bigquery'
import Table from 'cli-table3'
import { formatBytes, formatCount } from '../../cli/quantity.ts'
import { parseFeed } from '../../functions/feed/parse-feed.ts'
import { feedText } from '../changes/feed.ts'
import { median } from '../verdict.ts'
import { type Costs, measure } from './measure.ts'

const { values } = parseArgs({
  options: {
    project: { type: 'string' },
    yes: { type: 'boolean', default: false },
    rows: { type: 'string', default: '10000000' },
    runs: { type: 'string', default: '3' },
    location: { type: 'string', default: 'US' },
  },
})
const [rows, runs] = [Number(values.rows), Number(values.runs)]
/** Six columns of 8 bytes; a formulation reads both tables, the fingerprints one, the swap a part of one. */
const bytes = rows * 48 * runs * (4 * 2 + 2)

function explain(): string {
  const what = `It would make a dataset in ${values.location}, write two tables of ${formatCount(rows)} rows, run six statements ${runs} times and drop the dataset: about ${formatBytes(bytes)} are processed, on demand or by the project's slots.`
  return values.project === undefined
    ? `No project was named, so that nothing was done. ${what} Say --project PROJECT --yes.`
    : `Nothing was done yet. ${what} Say --yes to have it done in ${values.project}.`
}

function printCosts(costs: Costs): void {
  const head = ['', 'seconds', 'slot seconds', 'processed', 'shuffled', 'spilled']
  const table = new Table({ head, style: { head: [], border: [], compact: true } })
  for (const [name, all] of costs) {
    const of = (key: keyof (typeof all)[number]) => median(all.map(cost => cost[key]))
    const shown = (['bytes', 'shuffleBytes', 'spilledBytes'] as const).map(key => formatBytes(of(key)))
    table.push([name, of('seconds').toFixed(1), (of('slotMs') / 1000).toFixed(1), ...shown])
  }
  console.log(`${formatCount(rows)} rows, medians of ${runs}\n${table}`)
}

if (values.project === undefined || !values.yes) {
  console.error(explain())
  process.exitCode = 2
} else {
  const parsed = parseFeed(feedText('changed-partitions'), 'the feed of the bench')
  if (parsed.kind !== 'feed') throw new Error('the feed of the bench is wrong')
  const { project, location } = values
  const bigquery = new BigQuery({ projectId: project, location })
  printCosts(await measure(bigquery, { feed: parsed.feed, project, location, rows, runs }))
}
