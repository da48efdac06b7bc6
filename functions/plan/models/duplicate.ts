/** Model duplicate: rows are appended as they come; a copy job takes no slots, and its id lets it happen once. */
import { planJob, type RunContext } from '../job.ts'
import type { JobBody, PendingSnapshot } from '../run-plan.ts'
import { landingOf, stagingOf } from '../tables.ts'

/** One job for each snapshot: an append is atomic, and one that ended well is never run again under its id. */
export const planAppendRows = (
  context: RunContext,
  snapshots: readonly Pick<PendingSnapshot, 'id'>[],
): JobBody[] =>
  snapshots.map(({ id }) =>
    planJob(context, 'append', {
      copy: {
        sourceTable: landingOf(context, id),
        destinationTable: stagingOf(context.feed, context.warehouse),
        createDisposition: 'CREATE_NEVER',
        writeDisposition: 'WRITE_APPEND',
      },
    }),
  )
