/** `freshet query`: BigQuery SQL against what is in a directory. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Command, Option } from '@commander-js/extra-typings'
import type { CloudAddress } from '../clients.ts'
import { readRunningCloud } from '../cloud-file.ts'
import { failure, messageOf, misuse } from '../exit.ts'
import { type Io, printLine } from '../io.ts'
import { NAMES } from '../laptop-names.ts'
import { FORMATS, printRows } from '../print-rows.ts'

const EXAMPLES = `
Examples:
  $ freshet query 'SELECT COUNT(*) FROM geo.cities' --dir .freshet
  $ freshet query 'SELECT country, COUNT(*) AS n FROM geo.cities GROUP BY 1' --dir .freshet --format csv
  $ freshet query "SELECT table_name FROM geo.INFORMATION_SCHEMA.TABLES" --dir .freshet --format json

A directory that \`freshet local\` serves at the moment is asked through it.`

/** Uses the cloud that runs in `dir`, or starts one for as long as `use` needs it. */
async function withCloud<T>(dir: string, use: (cloud: CloudAddress) => Promise<T>): Promise<T> {
  const running = await readRunningCloud(dir)
  if (running) return use(running)
  // Loaded here, so that help and wrong use answer at once.
  const { startCloud } = await import('../../local/cloud.ts')
  const cloud = await startCloud({ dir, project: NAMES.project, location: NAMES.location })
  try {
    Object.assign(process.env, cloud.env)
    return await use(cloud)
  } finally {
    await cloud.close()
  }
}

/** What helps most often, by how BigQuery words the error. */
function hintFor(message: string): string | undefined {
  if (/Not found: Table|Table .* was not found/.test(message))
    return 'SELECT table_name FROM DATASET.INFORMATION_SCHEMA.TABLES lists the tables of a dataset.'
  if (message.includes('Not found: Dataset'))
    return 'SELECT schema_name FROM INFORMATION_SCHEMA.SCHEMATA lists the datasets.'
  return /not supported|Function not found/.test(message)
    ? 'local/README.md says what the embedded BigQuery serves.'
    : undefined
}

export function queryCommand(io: Io, _setExit: (code: number) => void) {
  return new Command('query')
    .description('run BigQuery SQL against what is in a directory')
    .argument('<SQL>', 'one GoogleSQL statement')
    .requiredOption('--dir <DIR>', 'the directory that `try` or `local` filled')
    .addOption(
      new Option('--format <FORMAT>', 'how rows are printed').choices(FORMATS).default('table' as const),
    )
    .option('--max-rows <N>', 'print at most N rows', Number)
    .addHelpText('after', EXAMPLES)
    .action(async (sql, { dir, format, maxRows = Number.POSITIVE_INFINITY }) => {
      if (!(maxRows > 0)) throw misuse('--max-rows needs a number above 0')
      if (!existsSync(join(dir, 'bigquery')))
        throw misuse(
          `${dir} is no directory that Freshet has filled`,
          '`freshet try FEED.yaml SNAPSHOT_DIR --dir DIR` fills one.',
        )
      const { runQuery } = await import('../run-query.ts')
      const result = await withCloud(dir, cloud => runQuery(cloud, sql, maxRows)).catch((error: unknown) => {
        throw failure(messageOf(error), hintFor(messageOf(error)))
      })
      if (result.fields.length > 0) printRows(io.stdout, format, result.fields, result.rows)
      else printLine(io.stderr, `${result.statement}: done`)
    })
}
