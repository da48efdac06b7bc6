/** `npm run bench:packages`: a real table, two neighbouring versions of it, by Freshet and by DuckDB's MERGE. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import Table from 'cli-table3'
import { formatBytes, formatCount } from '../../cli/quantity.ts'
import { startSide } from '../side.ts'
import { fetchVersion } from './fetch.ts'

const { values } = parseArgs({
  options: {
    from: { type: 'string', default: '2.0.3144' },
    to: { type: 'string', default: '2.0.3148' },
    memory: { type: 'string', default: '4GB' },
    threads: { type: 'string', default: String(availableParallelism()) },
    /** Where fetched versions are kept. */
    data: { type: 'string', default: join(tmpdir(), 'freshet-packages') },
  },
})

const FEED = `name: packages
source:
  path: packages/{snapshot}/*.ndjson
  snapshot: integer
  complete: { marker: "packages/{snapshot}/_SUCCESS" }
  format: ndjson
table:
  name: npm.packages
  columns: { name: STRING, repo: STRING }
model: { kind: unique, key: [name], sequence: { from: snapshot, as: snapshot } }
`

const work = await mkdtemp(join(tmpdir(), 'freshet-bench-'))
try {
  console.error(`fetching all-the-package-repos ${values.from} and ${values.to} from npm, 50 MB each …`)
  const dirs = [
    await fetchVersion(values.data, 1, values.from),
    await fetchVersion(values.data, 2, values.to),
  ]
  const feed = join(work, 'packages.yaml')
  await writeFile(feed, FEED)
  const shared = { dirs: [], work, feed, threads: Number(values.threads), memoryLimit: values.memory }
  const sides = [
    { name: 'Freshet, rewrite', side: startSide('changes/by-freshet.ts', { ...shared, name: 'freshet' }) },
    { name: 'MERGE', side: startSide('packages/by-merge.ts', shared) },
  ]
  const style = { head: [], border: [], compact: true }
  const table = new Table({
    head: ['version', 'side', 'rows', 'seconds', 'CPU seconds', 'load, apart', 'peak memory'],
    style,
  })
  try {
    for (const [at, dir] of dirs.entries()) {
      const counts = new Set<number>()
      for (const { name, side } of sides) {
        const { seconds, cpuSeconds, loadSeconds = 0, rows, peakBytes } = await side.take(dir)
        counts.add(rows)
        const times = [seconds, cpuSeconds, loadSeconds].map(value => value.toFixed(2))
        table.push([
          at === 0 ? values.from : values.to,
          name,
          formatCount(rows),
          ...times,
          formatBytes(peakBytes),
        ])
      }
      if (counts.size !== 1) throw new Error(`the sides come to ${[...counts].join(' and ')} rows`)
    }
  } finally {
    await Promise.all(sides.map(({ side }) => side.close()))
  }
  console.log(String(table))
} finally {
  await rm(work, { recursive: true, force: true })
}
