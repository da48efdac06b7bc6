/** `npm run bench:cdc`: rows a second of a change file, by Freshet and by the official JSONWriter. bench/README.md says what is measured. */
import { mkdtemp, rm } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import Table from 'cli-table3'
import { formatBytes, formatCount } from '../../cli/quantity.ts'
import { planTable } from '../../functions/plan/changes/change-table.ts'
import { startBigQuery } from '../../local/bigquery/index.ts'
import { systemClock } from '../../local/service.ts'
import { type Answer, startSide } from '../side.ts'
import { median } from '../verdict.ts'
import { DATASET, PROJECT, readBenchFeed, writeChanges } from './feed.ts'

const { values } = parseArgs({
  options: { rows: { type: 'string', default: '200000' }, runs: { type: 'string', default: '3' } },
})
const [rows, runs] = [Number(values.rows), Number(values.runs)]
const work = await mkdtemp(join(tmpdir(), 'freshet-bench-'))
const service = await startBigQuery({
  dir: join(work, 'bigquery'),
  clock: systemClock,
  project: PROJECT,
  location: 'US',
  objects: { find: () => undefined, list: () => [] },
  memoryLimit: '2GB',
  applies: 'when told',
})

async function query(sql: string): Promise<void> {
  const body = JSON.stringify({ query: sql, useLegacySql: false })
  const url = `${service.url}/bigquery/v2/projects/${PROJECT}/queries`
  const response = await fetch(url, { method: 'POST', body })
  if (!response.ok) throw new Error(await response.text())
}

async function openTable(name: string): Promise<void> {
  const target = { projectId: PROJECT, datasetId: DATASET, tableId: name }
  for (const { sql } of planTable(readBenchFeed(), target, undefined)) await query(sql.text)
}

const NAMES = ['by-freshet', 'by-json-writer'] as const

/** The table has to be there before a side connects. */
async function openSide(name: string) {
  const table = name.replaceAll('-', '_')
  await openTable(table)
  const settings = { dirs: [], work, feed: '', threads: 1, memoryLimit: '', endpoint: service.url }
  const answers: Answer[] = []
  return { name, side: startSide(`cdc/${name}.ts`, { ...settings, name: table }), answers }
}

try {
  const file = join(work, 'orders.ndjson')
  await writeChanges(file, rows)
  await query(`CREATE SCHEMA ${DATASET}`)
  const sides = [await openSide(NAMES[0]), await openSide(NAMES[1])]
  try {
    // In turns, for side by side they would share the processors; the first is the preparation.
    for (let run = 0; run <= runs; run += 1)
      for (const { side, answers } of run % 2 === 0 ? sides : sides.toReversed())
        answers.push(await side.take(file))
  } finally {
    await Promise.all(sides.map(({ side }) => side.close()))
  }
  const table = new Table({
    head: ['side', 'rows', 'seconds', 'CPU seconds', 'rows a second', 'rows a CPU second', 'peak memory'],
    style: { head: [], border: [], compact: true },
  })
  for (const { name, answers } of sides) {
    const measured = answers.slice(1)
    if (answers.some(answer => answer.rows !== rows)) throw new Error(`${name} did not send every row`)
    const [seconds, cpu] = [median(measured.map(a => a.seconds)), median(measured.map(a => a.cpuSeconds))]
    const rates = [rows / seconds, rows / cpu].map(rate => formatCount(Math.round(rate)))
    const peak = formatBytes(Math.max(...answers.map(({ peakBytes }) => peakBytes)))
    table.push([name, formatCount(rows), seconds.toFixed(2), cpu.toFixed(2), ...rates, peak])
  }
  console.log(`load ${loadavg()[0]?.toFixed(1)}, Node ${process.version}, medians of ${runs}`)
  console.log(table.toString())
} finally {
  await service.close()
  await rm(work, { recursive: true, force: true })
}
