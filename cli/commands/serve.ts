/** `freshet serve`: brings a feed's tables in Postgres to what its target shows. */
import { Command } from '@commander-js/extra-typings'
import { type Io, printLine } from '../io.ts'
import { withDeployment } from '../operate.ts'
import { formatCount } from '../quantity.ts'

const EXAMPLES = `
Examples:
  $ export FRESHET_POSTGRES_CRM=postgres://freshet@localhost:5432/crm
  $ freshet serve cities --dir .freshet

The feed says where to, with serve: [{ postgres: { database: crm, table: app.cities } }]. What died in the middle goes on
where it stopped; a table that is up to date already is left alone. Without --dir the FRESHET_ variables of the
environment say which deployment on Google Cloud is meant.`

export function serveCommand(io: Io, _setExit: (code: number) => void) {
  return new Command('serve')
    .description("bring a feed's tables in Postgres to what its target shows")
    .argument('<FEED>', 'name of the feed')
    .option('--dir <DIR>', 'the directory that `try` or `local` filled')
    .option('--json', 'print one JSON object a table and line')
    .addHelpText('after', EXAMPLES)
    .action(async (feed, { dir, json }) => {
      await withDeployment(dir, async ({ operations }) => {
        for (const served of await operations.serve(feed)) {
          const { database, table, snapshot, way, rows, written, deleted } = served
          const how = way === 'none' ? 'up to date already' : `by ${way}`
          const counts = `${formatCount(rows)} rows, ${formatCount(written)} written, ${formatCount(deleted)} deleted`
          printLine(
            io.stdout,
            json ? JSON.stringify(served) : `${database} ${table}: snapshot ${snapshot} ${how}, ${counts}`,
          )
        }
      })
    })
}
