/** The pace of a load: it waits while the primary is behind with its replicas, or busy with its own work. */
import type { Session } from '../gcp/ports.ts'
import { pg } from '../postgres-sql.ts'

const MOST_LAG_SECONDS = 5
const MOST_ACTIVE = 8
/** A replica that is cut off must not stop the table for ever. */
const MOST_WAITS = 60

/** www.postgresql.org/docs/current/monitoring-stats.html#MONITORING-PG-STAT-REPLICATION-VIEW */
const LOOK = pg`
SELECT coalesce((SELECT max(extract(epoch FROM replay_lag)) FROM pg_stat_replication), 0)::float8 AS lag,
  (SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND backend_type = 'client backend' AND application_name <> 'freshet')::int AS active`

export function makePace(session: Session, sleep: (milliseconds: number) => Promise<void>) {
  return async (): Promise<void> => {
    for (let waits = 0; waits < MOST_WAITS; waits += 1) {
      const [row] = await session.query(LOOK)
      const behind = Number(row?.lag) > MOST_LAG_SECONDS
      if (!behind && Number(row?.active) <= MOST_ACTIVE) return
      await sleep(behind ? 1_000 : 100)
    }
  }
}
