/** What hangs on a table that is swapped hangs on the next one: twenty times over, and a dead load is taken up again. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { liveFeed } from './live-feed.ts'
import { type OpenBuilder, openBuilder } from './open-builder.ts'

let at: OpenBuilder
beforeAll(async () => {
  at = await openBuilder()
})
afterAll(() => at.close())

const feed = liveFeed('swap', 'app.towns', '{ id: INT64, v: STRING }')
const rows = (snapshot: number) =>
  `SELECT id, CONCAT('v', CAST(id AS STRING), ' of ${snapshot}') AS v, ${snapshot} AS delivery FROM UNNEST(GENERATE_ARRAY(1, ${20 + snapshot})) AS id`

/** All that the catalogue says of the table and of what hangs on it, without the numbers of its objects. */
const PICTURE = `
SELECT 'owner ' || pg_get_userbyid(relowner) || ' ' || relrowsecurity || ' ' || coalesce(array_to_string(reloptions, ','), '') AS line FROM pg_class WHERE oid = 'app.towns'::regclass
UNION ALL SELECT 'grant ' || a.grantee::regrole || ' ' || a.privilege_type FROM pg_class, aclexplode(relacl) a WHERE pg_class.oid = 'app.towns'::regclass
UNION ALL SELECT 'column ' || attname || ' ' || coalesce(attstattarget, -1) || ' ' || coalesce(array_to_string(attacl, ','), '') || ' ' || coalesce(col_description(attrelid, attnum), '') || ' ' || coalesce(pg_get_expr(adbin, adrelid), '') FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum WHERE attrelid = 'app.towns'::regclass AND attnum > 0
UNION ALL SELECT 'index ' || pg_get_indexdef(indexrelid) FROM pg_index WHERE indrelid = 'app.towns'::regclass
UNION ALL SELECT 'constraint ' || conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) FROM pg_constraint WHERE 'app.towns'::regclass IN (conrelid, confrelid)
UNION ALL SELECT 'trigger ' || pg_get_triggerdef(oid) || ' ' || tgenabled::text FROM pg_trigger WHERE tgrelid = 'app.towns'::regclass AND NOT tgisinternal
UNION ALL SELECT 'policy ' || polname || ' ' || pg_get_expr(polqual, polrelid) FROM pg_policy WHERE polrelid = 'app.towns'::regclass
UNION ALL SELECT 'view ' || pg_get_viewdef('app.town_names'::regclass)
UNION ALL SELECT 'comment ' || obj_description('app.towns'::regclass, 'pg_class')
UNION ALL SELECT 'published ' || pubname FROM pg_publication_tables WHERE tablename = 'towns'
ORDER BY 1`

const look = async () => (await at.live.query(PICTURE)).rows.map(row => row.line)

const ADORN = `
CREATE ROLE reader; CREATE ROLE clerk;
GRANT SELECT ON app.towns TO reader WITH GRANT OPTION; GRANT UPDATE (v) ON app.towns TO clerk;
COMMENT ON TABLE app.towns IS 'Towns, "all" of them'; COMMENT ON COLUMN app.towns.v IS 'what it''s called';
ALTER TABLE app.towns SET (fillfactor = 80); ALTER TABLE app.towns ALTER v SET STATISTICS 321; ALTER TABLE app.towns ALTER v SET DEFAULT 'none';
CREATE INDEX "towns by V" ON app.towns (lower(v)) WHERE id > 3; ALTER TABLE app.towns ADD CONSTRAINT v_once UNIQUE (v, id);
ALTER TABLE app.towns ADD CONSTRAINT id_above CHECK (id > 0);
CREATE TABLE app.kinds (id bigint PRIMARY KEY); INSERT INTO app.kinds SELECT generate_series(1, 100);
ALTER TABLE app.towns ADD CONSTRAINT to_kind FOREIGN KEY (id) REFERENCES app.kinds (id);
CREATE TABLE app.visits (town bigint CONSTRAINT of_town REFERENCES app.towns (id)); INSERT INTO app.visits VALUES (1), (20);
CREATE VIEW app.town_names WITH (security_barrier) AS SELECT id, v FROM app.towns WHERE id < 1000; GRANT SELECT ON app.town_names TO reader;
CREATE FUNCTION app.nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
CREATE TRIGGER touched AFTER UPDATE ON app.towns FOR EACH ROW EXECUTE FUNCTION app.nothing(); ALTER TABLE app.towns DISABLE TRIGGER touched;
ALTER TABLE app.towns ENABLE ROW LEVEL SECURITY; CREATE POLICY few ON app.towns FOR SELECT TO reader USING (id < 500);
CREATE PUBLICATION changes FOR TABLE app.towns`

test('twenty swaps lose nothing of grants, views, keys, triggers, policies, comments and settings', async () => {
  await at.addPoint('swap_0', rows(0))
  at.show('swap_0')
  expect(await at.serve(feed)).toMatchObject({ way: 'swap', rows: 20 })
  await at.live.query(ADORN)
  const before = await look()
  expect(before.length).toBeGreaterThan(18)
  for (let snapshot = 1; snapshot <= 20; snapshot += 1) {
    await at.addPoint(`swap_${snapshot}`, rows(snapshot))
    at.show(`swap_${snapshot}`)
    expect(await at.serve(feed)).toMatchObject({ way: 'swap', rows: 20 + snapshot })
    expect(await look()).toEqual(before)
  }
  const { rows: seen } = await at.live.query('SELECT count(*)::int AS n, max(v) AS v FROM app.town_names')
  expect(seen).toEqual([{ n: 40, v: 'v9 of 20' }])
  const { rows: tables } = await at.live.query(
    "SELECT relname FROM pg_class WHERE relnamespace = 'app'::regnamespace AND relkind = 'r' AND relname LIKE 'towns%'",
  )
  // The last one that was swapped out waits for the next load.
  expect(tables).toHaveLength(2)
})

test('a foreign key that the new rows would break keeps the old table', async () => {
  const before = await look()
  await at.addPoint('swap_far', `SELECT 101 AS id, 'far' AS v, 21 AS delivery`)
  at.show('swap_far')
  await expect(at.serve(feed)).rejects.toThrow('to_kind')
  expect(await look()).toEqual(before)
  expect((await at.live.query('SELECT count(*)::int AS n FROM app.towns')).rows).toEqual([{ n: 40 }])
})

test('a materialized view on the table is named before anything is built', async () => {
  await at.live.query('CREATE MATERIALIZED VIEW app.town_count AS SELECT count(*) FROM app.towns')
  at.show('swap_3')
  await expect(at.serve(feed)).rejects.toThrow('the materialized view app.town_count reads it')
})
