/** Serves the embedded BigQuery on the folder it is given, and prints its address: a process that a test can kill. */
import { startBigQuery } from '../../local/bigquery/index.ts'
import { systemClock } from '../../local/service.ts'

const service = await startBigQuery({
  dir: process.argv[2] ?? '',
  clock: systemClock,
  project: 'p',
  location: 'US',
  objects: { find: () => undefined, list: () => [] },
  memoryLimit: '1GB',
})
process.stdout.write(`${service.url}\n`)
