/** The exchange of a live table for one built beside it, so that all that hangs on the live one hangs on the new one. */
import { FreshetError } from '../errors.ts'
import type { Session } from '../gcp/ports.ts'
import { besideOf, type PgSql, type PgTable, pg, pgGiven, pgJoin, pgText } from '../postgres-sql.ts'

const oidOf = (table: PgTable) => pg`${pgText(pg`${table}`.text)}::regclass`

/** Each row is a statement, or a sentence, in the order in which they count. */
async function readLines(session: Session, query: PgSql): Promise<PgSql[]> {
  const rows = await session.query(query)
  return rows.map(row => pgGiven(String(row.line)))
}

/** What a new table can't take over. www.postgresql.org/docs/current/catalog-pg-class.html */
const pgObstacles = (live: PgTable) => pg`
SELECT 'it is ' || CASE relkind WHEN 'v' THEN 'a view' WHEN 'm' THEN 'a materialized view' WHEN 'p' THEN 'partitioned' ELSE 'no table' END AS line
FROM pg_class WHERE oid = ${oidOf(live)} AND relkind <> 'r'
UNION ALL SELECT 'it takes part in inheritance' FROM pg_inherits WHERE inhrelid = ${oidOf(live)} OR inhparent = ${oidOf(live)}
UNION ALL SELECT 'its replica identity is an index' FROM pg_class WHERE oid = ${oidOf(live)} AND relreplident = 'i'
UNION ALL SELECT 'it has the rule ' || rulename FROM pg_rules WHERE format('%I.%I', schemaname, tablename)::regclass = ${oidOf(live)}
UNION ALL SELECT 'it has the exclusion constraint ' || conname FROM pg_constraint WHERE conrelid = ${oidOf(live)} AND contype = 'x'
UNION ALL SELECT 'its constraint ' || conname || ' is deferrable' FROM pg_constraint WHERE conrelid = ${oidOf(live)} AND contype IN ('p', 'u') AND condeferrable
UNION ALL SELECT 'its foreign key ' || conname || ' points to itself' FROM pg_constraint WHERE conrelid = ${oidOf(live)} AND confrelid = conrelid AND contype = 'f'
UNION ALL SELECT DISTINCT 'the materialized view ' || v.oid::regclass || ' reads it'
FROM pg_depend d JOIN pg_rewrite r ON r.oid = d.objid AND d.classid = 'pg_rewrite'::regclass JOIN pg_class v ON v.oid = r.ev_class
WHERE d.refobjid = ${oidOf(live)} AND d.refclassid = 'pg_class'::regclass AND v.relkind = 'm'`

/** Throws `schema-drift` when something hangs on the live table that an exchange would lose. */
export async function checkExchangeable(session: Session, live: PgTable): Promise<void> {
  const obstacles = await readLines(session, pgObstacles(live))
  if (obstacles.length === 0) return
  throw new FreshetError({
    code: 'schema-drift',
    message: `Table ${live.schema}.${live.table} can't be swapped: ${obstacles.map(({ text }) => text).join('; ')}.`,
    hint: 'Serve it with way: delta, or take that away.',
  })
}

/** Beside the live table's columns: its defaults, comments, checks, storage and extended statistics. */
export const pgCreateLike = (building: PgTable, live: PgTable): PgSql => pg`
CREATE TABLE ${building} (LIKE ${live} INCLUDING ALL EXCLUDING INDEXES)`

const INDEX = pgGiven(`
SELECT i.indexrelid AS oid, c.relname AS name, con.contype, con.conname,
  substr(pg_get_indexdef(i.indexrelid), length(format('CREATE %sINDEX %I ON %I.%I ', CASE WHEN i.indisunique THEN 'UNIQUE ' ELSE '' END, c.relname, n.nspname, t.relname)) + 1) AS body,
  i.indisunique AS is_unique, 'freshet_' || substr(md5($run$RUN$run$ || c.relname), 1, 16) AS new_name, n.nspname AS schema
FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_class t ON t.oid = i.indrelid
JOIN pg_namespace n ON n.oid = t.relnamespace LEFT JOIN pg_constraint con ON con.conindid = i.indexrelid AND con.contype IN ('p', 'u') AND con.conrelid = t.oid`)
const pgIndexes = (run: string) => pgGiven(INDEX.text.replace('RUN', run))

/** The live table's indexes for the new one, under names of their own until the exchange. */
export const readIndexes = (session: Session, live: PgTable, building: PgTable, run: string) =>
  readLines(
    session,
    pg`SELECT format('CREATE %sINDEX IF NOT EXISTS %I ON ', CASE WHEN x.is_unique THEN 'UNIQUE ' ELSE '' END, x.new_name)
  || ${pgText(pg`${building}`.text)} || ' ' || x.body AS line
FROM (${pgIndexes(run)} WHERE i.indrelid = ${oidOf(live)}) x ORDER BY x.name`,
  )

/** Foreign keys of the table itself: checked on the new rows before the exchange. */
export const readOwnForeignKeys = (session: Session, live: PgTable, building: PgTable) =>
  readLines(
    session,
    pg`SELECT 'ALTER TABLE ' || ${pgText(pg`${building}`.text)} || format(' ADD CONSTRAINT %I ', conname) || pg_get_constraintdef(oid) AS line
FROM pg_constraint WHERE conrelid = ${oidOf(live)} AND contype = 'f' AND conparentid = 0
AND NOT EXISTS (SELECT FROM pg_constraint b WHERE b.conrelid = ${oidOf(building)} AND b.conname = pg_constraint.conname) ORDER BY conname`,
  )

/** Who owns it, who may read it, what is said of it, and how it is gathered: said of the new table. */
const pgProperties = (live: PgTable, building: string) => pg`
SELECT line FROM (
SELECT 1 AS place, format('ALTER TABLE %s OWNER TO %I', ${pgText(building)}, pg_get_userbyid(relowner)) AS line FROM pg_class WHERE oid = ${oidOf(live)} AND pg_get_userbyid(relowner) <> current_user
UNION ALL SELECT 1, format('REVOKE ALL ON %s FROM %s', ${pgText(building)}, CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END)
  FROM pg_class, aclexplode(relacl) a WHERE pg_class.oid = ${pgText(building)}::regclass AND a.grantee <> relowner
UNION ALL SELECT 2, format('GRANT %s ON %s TO %s%s', a.privilege_type, ${pgText(building)}, CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END, CASE WHEN a.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END)
  FROM pg_class, aclexplode(relacl) a WHERE pg_class.oid = ${oidOf(live)} AND a.grantee <> relowner
UNION ALL SELECT 3, format('GRANT %s (%I) ON %s TO %s%s', a.privilege_type, attname, ${pgText(building)}, CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END, CASE WHEN a.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END)
  FROM pg_attribute, aclexplode(attacl) a WHERE attrelid = ${oidOf(live)} AND attnum > 0 AND NOT attisdropped
UNION ALL SELECT 4, format('COMMENT ON TABLE %s IS %L', ${pgText(building)}, obj_description(${oidOf(live)}, 'pg_class')) WHERE obj_description(${oidOf(live)}, 'pg_class') IS NOT NULL
UNION ALL SELECT 5, format('ALTER TABLE %s SET (%s)', ${pgText(building)}, array_to_string(reloptions, ', ')) FROM pg_class WHERE oid = ${oidOf(live)} AND reloptions IS NOT NULL
UNION ALL SELECT 6, format('ALTER TABLE %s ALTER COLUMN %I SET STATISTICS %s', ${pgText(building)}, attname, attstattarget) FROM pg_attribute WHERE attrelid = ${oidOf(live)} AND attnum > 0 AND NOT attisdropped AND attstattarget >= 0
UNION ALL SELECT 7, format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', ${pgText(building)}) FROM pg_class WHERE oid = ${oidOf(live)} AND relrowsecurity
UNION ALL SELECT 8, format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', ${pgText(building)}) FROM pg_class WHERE oid = ${oidOf(live)} AND relforcerowsecurity
UNION ALL SELECT 9, format('CREATE POLICY %I ON %s AS %s FOR %s TO %s%s%s', polname, ${pgText(building)}, CASE WHEN polpermissive THEN 'PERMISSIVE' ELSE 'RESTRICTIVE' END,
  CASE polcmd WHEN 'r' THEN 'SELECT' WHEN 'a' THEN 'INSERT' WHEN 'w' THEN 'UPDATE' WHEN 'd' THEN 'DELETE' ELSE 'ALL' END,
  (SELECT string_agg(CASE r WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(r)) END, ', ') FROM unnest(polroles) r),
  ' USING (' || pg_get_expr(polqual, polrelid) || ')', ' WITH CHECK (' || pg_get_expr(polwithcheck, polrelid) || ')') FROM pg_policy WHERE polrelid = ${oidOf(live)}
UNION ALL SELECT 10, format('ALTER TABLE %s REPLICA IDENTITY %s', ${pgText(building)}, CASE relreplident WHEN 'f' THEN 'FULL' ELSE 'NOTHING' END) FROM pg_class WHERE oid = ${oidOf(live)} AND relreplident IN ('f', 'n')
UNION ALL SELECT 11, format('ALTER PUBLICATION %I ADD TABLE %s', pubname, ${pgText(building)}) FROM pg_publication_rel JOIN pg_publication ON pg_publication.oid = prpubid WHERE prrelid = ${oidOf(live)}
) p ORDER BY place, line`

/** The statements that give `building` what is said of `live`: to be run once, where it was made. */
export const readProperties = (session: Session, live: PgTable, building: PgTable) =>
  readLines(session, pgProperties(live, pg`${building}`.text))

/** Triggers and views name the table they are on, so they are said again under the name that the new one gets. */
const pgAfterwards = (live: PgTable) => pg`
SELECT line FROM (
SELECT 1 AS place, pg_get_triggerdef(oid) AS line FROM pg_trigger WHERE tgrelid = ${oidOf(live)} AND NOT tgisinternal
UNION ALL SELECT 2, format('ALTER TABLE %s %s TRIGGER %I', ${pgText(pg`${live}`.text)}, CASE tgenabled WHEN 'D' THEN 'DISABLE' WHEN 'R' THEN 'ENABLE REPLICA' ELSE 'ENABLE ALWAYS' END, tgname) FROM pg_trigger WHERE tgrelid = ${oidOf(live)} AND NOT tgisinternal AND tgenabled <> 'O'
UNION ALL SELECT DISTINCT 3, format('CREATE OR REPLACE VIEW %s%s AS %s', v.oid::regclass, ' WITH (' || array_to_string(v.reloptions, ', ') || ')', pg_get_viewdef(v.oid))
  FROM pg_depend d JOIN pg_rewrite r ON r.oid = d.objid AND d.classid = 'pg_rewrite'::regclass JOIN pg_class v ON v.oid = r.ev_class
  WHERE d.refobjid = ${oidOf(live)} AND d.refclassid = 'pg_class'::regclass AND v.relkind = 'v'
UNION ALL SELECT 4, format('ALTER TABLE %s DROP CONSTRAINT %I, ADD CONSTRAINT %I %s%s', conrelid::regclass, conname, conname, pg_get_constraintdef(oid), CASE WHEN convalidated THEN ' NOT VALID' ELSE '' END)
  FROM pg_constraint WHERE confrelid = ${oidOf(live)} AND contype = 'f' AND conrelid <> ${oidOf(live)} AND conparentid = 0
) p ORDER BY place, line`

/** Foreign keys that point here were said again unchecked; checking them locks nobody out. */
const pgChecks = (live: PgTable) => pg`
SELECT format('ALTER TABLE %s VALIDATE CONSTRAINT %I', conrelid::regclass, conname) AS line
FROM pg_constraint WHERE confrelid = ${oidOf(live)} AND contype = 'f' AND convalidated AND conrelid <> ${oidOf(live)} AND conparentid = 0 ORDER BY 1`

/** The old table's indexes step aside, and the new ones take their names and their constraints. */
const pgIndexNames = (live: PgTable, run: string) => pg`
SELECT line FROM (
SELECT 1 AS place, x.name, format('ALTER INDEX %I.%I RENAME TO %I', x.schema, x.name, x.new_name || '_old') AS line FROM (${pgIndexes(run)} WHERE i.indrelid = ${oidOf(live)}) x
UNION ALL SELECT 2, x.name, CASE WHEN x.contype IS NULL THEN format('ALTER INDEX %I.%I RENAME TO %I', x.schema, x.new_name, x.name)
  ELSE format('ALTER TABLE %s ADD CONSTRAINT %I %s USING INDEX %I', ${pgText(pg`${live}`.text)}, x.conname, CASE x.contype WHEN 'p' THEN 'PRIMARY KEY' ELSE 'UNIQUE' END, x.new_name) END
  FROM (${pgIndexes(run)} WHERE i.indrelid = ${oidOf(live)}) x
) p ORDER BY place, name`

export interface Exchange {
  readonly old: PgTable
  /** To be run after the commit, each by itself. */
  readonly checks: readonly PgSql[]
}

/**
 * Puts `building` in the place of `live`; called in a transaction. Readers wait for as long as it takes, which is the
 * catalogue's work alone. Nothing is lost of owner, grants, comments, settings, statistics targets, row security,
 * publications, triggers, views and foreign keys, theirs and ours.
 */
export async function exchange(
  session: Session,
  live: PgTable,
  building: PgTable,
  run: string,
): Promise<Exchange> {
  const old = besideOf(live, `old_${run}`)
  await session.run(pg`SET LOCAL lock_timeout = '2s'; LOCK TABLE ${live} IN ACCESS EXCLUSIVE MODE`)
  const before = await readLines(session, pgProperties(live, pg`${building}`.text))
  const names = await readLines(session, pgIndexNames(live, run))
  const after = await readLines(session, pgAfterwards(live))
  const checks = await readLines(session, pgChecks(live))
  const rename = pg`ALTER TABLE ${live} RENAME TO ${old.table}; ALTER TABLE ${building} RENAME TO ${live.table}`
  await session.run(pgJoin([...before, rename, ...names, ...after], ';\n'))
  return { old, checks }
}
