/** `correct`: counts the rows of a correction, and asks for it to be made. */
import { FreshetError } from '../errors.ts'
import { type Correction, parseCorrection } from '../feed/correction.ts'
import type { Feed } from '../feed/feed.ts'
import { type Deps, findFeed } from '../handlers/deps.ts'
import { sqlCorrect, sqlCountCorrected } from '../plan/correction-sql.ts'
import { hashOf, runIdOf } from '../plan/ids.ts'
import { planQuery } from '../plan/job.ts'
import { type Corrected, type CorrectionRequest, parseCorrected } from '../plan/plan-correction.ts'

export interface Counted extends Corrected {
  readonly correction: Correction
  /** The statement that will be run. */
  readonly sql: string
}

function readCorrection(feed: Feed, text: string): Correction {
  const parsed = parseCorrection(feed, text)
  if (parsed.kind === 'correction') return parsed.correction
  throw new FreshetError({
    code: 'bad-request',
    message: `The correction can't be made: ${parsed.problems.join('; ')}.`,
    hint: 'docs/models.md#corrections says what a correction may be.',
  })
}

async function countRows(deps: Deps, feed: Feed, correction: Correction): Promise<Counted> {
  const at = deps.now()
  const context = { feed, run: runIdOf({ feed: feed.name, correction, at }), warehouse: deps.names }
  const job = planQuery(context, 'inspect', sqlCountCorrected(feed, correction, deps.names))
  const jobId = `${job.jobReference.jobId}_${hashOf(at)}`
  const rows = await deps.warehouse.runQuery({ ...job, jobReference: { ...job.jobReference, jobId } })
  return { ...parseCorrected(rows), correction, sql: sqlCorrect(feed, correction, deps.names).text }
}

const refused = (message: string, hint: string) => new FreshetError({ code: 'bad-request', message, hint })

/** Throws `FreshetError` for a correction that is none, or that no row needs. */
export function makeCorrect(deps: Deps) {
  return {
    /** Nothing is asked for: how many rows it concerns now. */
    count: async (name: string, text: string): Promise<Counted> => {
      const feed = findFeed(deps, name)
      return countRows(deps, feed, readCorrection(feed, text))
    },
    ask: async (name: string, { correction, rows, ambiguous }: Counted): Promise<CorrectionRequest> => {
      const feed = findFeed(deps, name)
      const last = (await deps.state.leases.read(feed.name))?.lease.last
      if (!last) throw refused(`${name} has no refreshed table yet.`, 'Send a snapshot first.')
      if (ambiguous > 0)
        throw refused(
          `${ambiguous} keys stand in several rows of the table that brings the values.`,
          'Leave one row a key there.',
        )
      if (rows === 0)
        throw refused('No row would change.', 'Look at the condition; --dry-run shows the statement.')
      const request = { correction, rows, newest: last.newest, askedAt: new Date(deps.now()).toISOString() }
      if (!(await deps.state.requests.askCorrection(feed.name, request)))
        throw refused(`Another correction of ${name} waits.`, 'Wait for its message.')
      await deps.workflows.startRefresh(feed.name)
      deps.log.info({ feed: feed.name, rows, why: correction.why }, 'correction asked for')
      return request
    },
  }
}
