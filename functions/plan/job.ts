/** Jobs of a run: each with its deterministic id and the labels by which bills and logs find it. */
import type { Feed } from '../feed/feed.ts'
import type { RunId } from '../feed/names.ts'
import { reservationPath } from '../feed/reservation.ts'
import { hashOf } from './ids.ts'
import type { JobBody, JobConfiguration, StageName, Warehouse } from './run-plan.ts'
import type { Sql } from './sql.ts'

/** What every job of a run shares. */
export interface RunContext {
  readonly feed: Feed
  readonly run: RunId
  readonly warehouse: Warehouse
}

/** `-` is no good in table names that people type; feed names have no `_`, so this is one to one. */
export const tableNameOf = (feed: Feed): string => feed.name.replaceAll('-', '_')

export function planJob(
  context: RunContext,
  stage: StageName,
  configuration: Omit<JobConfiguration, 'labels'>,
): JobBody {
  const { feed, run, warehouse } = context
  // A copy job takes no slots.
  const reservation = configuration.copy ? undefined : feed.refresh.reservation
  const hash = hashOf({ feed: feed.name, run, stage, configuration })
  return {
    jobReference: {
      projectId: warehouse.projectId,
      jobId: `freshet_${tableNameOf(feed)}_${stage}_${hash}_a1`,
      location: warehouse.location,
    },
    configuration: {
      labels: { freshet_feed: feed.name, freshet_run: run, freshet_stage: stage },
      ...(reservation !== undefined && { reservation: reservationPath(reservation, warehouse) }),
      ...configuration,
    },
  }
}

export function planQuery(
  context: RunContext,
  stage: StageName,
  query: Sql,
  extra: Readonly<Record<string, unknown>> = {},
): JobBody {
  return planJob(context, stage, { query: { query: query.text, useLegacySql: false, ...extra } })
}
