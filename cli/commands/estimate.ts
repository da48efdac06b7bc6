/** `freshet estimate`: what a feed's refreshes would read, cost and need on BigQuery, way by way. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Command } from '@commander-js/extra-typings'
import type { z } from 'zod'
import { estimateFeed } from '../../functions/estimate/estimate.ts'
import { assumptionsSchema, parseRates, pricesSchema } from '../../functions/estimate/rates.ts'
import { type Measured, measureReceipts } from '../../functions/estimate/receipts.ts'
import type { Feed } from '../../functions/feed/feed.ts'
import { ENDPOINT_ENV, FUNCTION_ENV } from '../../functions/names.ts'
import { makeWorkload } from '../estimate-input.ts'
import { encodeEstimatePage } from '../estimate-page/page.ts'
import { failure, messageOf, misuse, reasonOf } from '../exit.ts'
import { type Io, printLine } from '../io.ts'
import { withDeployment } from '../operate.ts'
import { parseBytes, parseCount, parseShare, parseWhole } from '../parse-quantity.ts'
import { printEstimate, type ShownEstimate } from '../print-estimate.ts'
import { readFeed } from '../read-feeds.ts'

const EXAMPLES = `
Examples:
  $ freshet estimate feeds/store-attributes.yaml --bytes 15TB
  $ freshet estimate feeds/store-attributes.yaml --bytes 15TB --changed 0.1% --changed-partitions 14 --html estimate.html
  $ freshet estimate feeds/store-attributes.yaml --dir .freshet --partitions 731
  $ freshet estimate feeds/store-attributes.yaml --rows 300bn --json | jq '.ways[].run'

With --dir, or with the FRESHET_ variables of a deployment on Google Cloud, receipts of past runs replace what would be
assumed. Nothing is run and nothing is asked of BigQuery. docs/estimate.md has the formulas and their sources.`

const RATES = join(import.meta.dirname, '../../functions/estimate')

async function readRates<T>(schema: z.ZodType<T>, name: string, own: string | undefined): Promise<T> {
  const texts = [await readFile(join(RATES, name), 'utf8')]
  if (own === undefined) return parseRates(schema, texts)
  const text = await readFile(own, 'utf8').catch((error: unknown) => {
    throw misuse(`cannot read ${own}: ${reasonOf(error)}`, `Its form is that of functions/estimate/${name}.`)
  })
  try {
    return parseRates(schema, [...texts, text])
  } catch (error) {
    throw failure(
      `${own} is not right: ${messageOf(error)}`,
      `Its form is that of functions/estimate/${name}.`,
    )
  }
}

/** The embedded cloud has rows and times of its own, but its slot-milliseconds are not BigQuery's. */
async function readMeasured(feed: Feed, dir: string | undefined): Promise<Measured | undefined> {
  if (dir === undefined && process.env[FUNCTION_ENV.state] === undefined) return undefined
  const embedded = dir !== undefined || process.env[ENDPOINT_ENV.bigquery] !== undefined
  return withDeployment(dir, async ({ operations }) =>
    measureReceipts(await operations.receipts(feed.name), { slots: !embedded }),
  )
}

async function writePage(file: string, shown: ShownEstimate): Promise<void> {
  await writeFile(file, encodeEstimatePage(shown)).catch((error: unknown) => {
    throw misuse(`cannot write ${file}: ${reasonOf(error)}`, 'Give a file in a folder that is there.')
  })
}

export function estimateCommand(io: Io) {
  return new Command('estimate')
    .description('foresee bytes, limits, prices and slots for a feed, four ways side by side')
    .argument('<FEED.yaml>', 'the feed file')
    .option('--rows <N>', 'rows of the table, such as 39M', parseCount)
    .option('--bytes <SIZE>', 'logical bytes of the table, such as 15TB', parseBytes)
    .option('--changed <SHARE>', 'share of the rows that a run changes, such as 0.1%', parseShare)
    .option('--partitions <N>', 'partitions of the table', parseWhole)
    .option('--changed-partitions <N>', 'partitions that hold the changes of a run', parseWhole)
    .option('--per-day <N>', 'runs a day', parseCount)
    .option('--dir <DIR>', 'the directory that `try` or `local` filled: its receipts')
    .option('--prices <FILE>', 'prices that differ, as YAML')
    .option('--assume <FILE>', 'assumptions that differ, as YAML')
    .option('--json', 'print one JSON object')
    .option('--html <FILE>', 'write a page with the comparison and the day as pictures')
    .addHelpText('after', EXAMPLES)
    .action(async (feedFile, { dir, prices: ownPrices, assume, json, html, ...options }) => {
      const feed = await readFeed(feedFile)
      const prices = await readRates(pricesSchema, 'prices.yaml', ownPrices)
      const assumptions = await readRates(assumptionsSchema, 'assumptions.yaml', assume)
      const measured = await readMeasured(feed, dir)
      const { workload, sources } = makeWorkload(feed, options, measured, assumptions)
      const slotMsPerGiB = measured?.slotMsPerGiB ?? {}
      const shown: ShownEstimate = {
        ...estimateFeed({ feed, workload, prices, assumptions, slotMsPerGiB }),
        sources,
        pricesAsOf: prices.asOf,
        assumptionsAsOf: assumptions.asOf,
        ...(measured && { measured }),
      }
      if (html !== undefined) await writePage(html, shown)
      if (json) printLine(io.stdout, JSON.stringify(shown))
      else printEstimate(io.stdout, shown)
      if (html !== undefined) printLine(io.stderr, `${html} shows it as a page`)
    })
}
