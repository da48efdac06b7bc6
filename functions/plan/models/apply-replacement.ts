/** Replaces exactly the partitions that the snapshots cover, in one transaction on staging. */
import type { SnapshotId } from '../../feed/snapshot-id.ts'
import { planQuery, type RunContext } from '../job.ts'
import { type PartitionStart, sqlInPartitions } from '../partitions.ts'
import type { JobBody } from '../run-plan.ts'
import { sql, sqlJoin } from '../sql.ts'
import { countOf, type ResultRow } from '../stages/inspect.ts'
import { landingOf, stagingOf } from '../tables.ts'
import { sqlOwnRows } from './replace-partitions.ts'

/** A partition that a snapshot has rows of. */
interface Covered {
  readonly start: PartitionStart
  readonly rows: number
  readonly outside: number
}
export interface Coverage {
  readonly snapshot: SnapshotId
  readonly covered: readonly Covered[]
}

/** What each snapshot replaces, were it alone: what is newer in staging is left out. */
export function parseCoverage(rows: readonly ResultRow[], snapshots: readonly SnapshotId[]): Coverage[] {
  return snapshots.map(snapshot => {
    const mine = rows.filter(row => row.snapshot === snapshot)
    const newer = new Set(mine.flatMap(({ newer_start: start }) => start ?? []))
    const covered = mine.flatMap((row): Covered[] => {
      const start = row.covered_start
      if (typeof start !== 'string' || newer.has(start)) return []
      return [{ start, rows: countOf(row, 'covered_rows'), outside: countOf(row, 'outside_rows') }]
    })
    return { snapshot, covered }
  })
}

/** Each partition once, with the newest snapshot that covers it; `coverage` is in the order of the snapshots. */
export function ownersOf(coverage: readonly Coverage[]): Coverage[] {
  const owner = new Map(coverage.flatMap(({ snapshot, covered }) => covered.map(c => [c.start, snapshot])))
  return coverage
    .map(({ snapshot, covered }) => ({
      snapshot,
      covered: covered.filter(({ start }) => owner.get(start) === snapshot),
    }))
    .filter(({ covered }) => covered.length > 0)
}

/** `unique`: proven that no key is twice in any snapshot. docs.cloud.google.com/bigquery/docs/transactions */
export function planReplacement(
  context: RunContext,
  owners: readonly Coverage[],
  unique: boolean,
): JobBody[] {
  const { feed, warehouse } = context
  const staging = stagingOf(feed, warehouse)
  const columns = sqlJoin(feed.table.columns.map(({ name }) => name))
  const startsOf = ({ covered }: Coverage) => covered.map(({ start }) => start).toSorted()
  const rows = owners.map(owner =>
    sqlOwnRows(
      feed,
      { table: landingOf(context, owner.snapshot), where: sqlInPartitions(feed, startsOf(owner)) },
      unique,
    ),
  )
  const union = rows.length > 1 ? rows.map(one => sql`(\n${one}\n)`) : rows
  const statements = [
    sql`BEGIN TRANSACTION`,
    sql`DELETE FROM ${staging}\nWHERE ${sqlInPartitions(feed, owners.flatMap(startsOf).toSorted())}`,
    sql`INSERT INTO ${staging} (${columns})\n${sqlJoin(union, '\nUNION ALL\n')}`,
    sql`COMMIT TRANSACTION`,
  ]
  return [planQuery(context, 'deduplicate', sql`${sqlJoin(statements, ';\n\n')};`)]
}
