/** What people put on a target stays through refreshes and rollbacks, or the publish is held with the reason. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { makeBigQuery } from '../../cli/clients.ts'
import { removeCloudFile, writeCloudFile } from '../../cli/cloud-file.ts'
import { waitForRest } from '../../cli/executions.ts'
import { runCli } from '../cli/run-cli.ts'
import { type Bed, startBed } from './bad-inputs/bed.ts'
import { lines, writeFeed } from './bad-inputs/feed-text.ts'

const FEED = writeFeed({
  name: 'pay',
  format: 'ndjson',
  columns: { id: 'INT64', v: 'STRING' },
  gates: 'min_rows_vs_last: 0%',
})
const TAG = 'projects/p/locations/eu/taxonomies/1/policyTags/2'
const field = z.looseObject({
  name: z.string(),
  description: z.string().optional(),
  policyTags: z.looseObject({ names: z.array(z.string()) }).optional(),
})
const shape = z.looseObject({
  labels: z.record(z.string(), z.string()).default({}),
  description: z.string().optional(),
  schema: z.object({ fields: z.array(field) }),
  tableConstraints: z.unknown().optional(),
})
let bed: Bed

async function send(id: string) {
  await bed.put(`pay/${id}/a.ndjson`, lines({ id: Number(id), v: 'a' }))
  await bed.put(`pay/${id}/manifest.json`, JSON.stringify({ files: [{ name: 'a.ndjson' }] }))
  const message = await bed.message('pay', id)
  await waitForRest(bed.cloud, AbortSignal.timeout(30_000))
  return message
}
const tableOf = (dataset: string) => makeBigQuery(bed.cloud).dataset(dataset).table('pay')
async function read(dataset = 'shop') {
  const [metadata] = await tableOf(dataset).getMetadata()
  return shape.parse(metadata)
}
/** The client has no method for policies, and its types of a schema know no policy tags. */
const call = (dataset: string, method: string, uri: string, json?: object) =>
  new Promise((resolve, reject) =>
    tableOf(dataset).request({ method, uri, ...(json && { json }) }, (error: Error | null, body: unknown) =>
      error ? reject(error) : resolve(body),
    ),
  )
/** Puts a description or a policy tag on column `v`. */
async function mark(dataset: string, with_: object): Promise<void> {
  const { schema } = await read(dataset)
  const fields = schema.fields.map(one => (one.name === 'v' ? { ...one, ...with_ } : one))
  await call(dataset, 'PATCH', '', { schema: { fields } })
}
const policies = (method: string, name = '', json?: object) =>
  call('shop', method, `/rowAccessPolicies${name}`, json)
async function run(...args: string[]) {
  const { exit, stdout, stderr } = await runCli(...args, '--dir', bed.cloud.dir, '--json')
  if (exit !== 0) throw new Error(stderr)
  return JSON.parse(stdout)
}

beforeAll(async () => {
  bed = await startBed([FEED])
  await writeCloudFile(bed.cloud.dir, bed.cloud, bed.env)
  expect(await send('1')).toMatchObject({ status: 'refreshed' })
})
afterAll(async () => {
  if (bed) await removeCloudFile(bed.cloud.dir)
  await bed?.close()
})

test('labels, the description and the primary key stay', async () => {
  await bed.query(
    "ALTER TABLE shop.pay SET OPTIONS (description = 'What was paid', labels = [('team', 'till'), ('freshet_feed', 'pay')])",
  )
  await bed.query('ALTER TABLE shop.pay ADD PRIMARY KEY (id) NOT ENFORCED')
  const wanted = {
    description: 'What was paid',
    labels: { team: 'till', freshet_feed: 'pay' },
    tableConstraints: { primaryKey: { columns: ['id'] } },
  }
  expect(await send('2')).toMatchObject({ status: 'refreshed', reason: '' })
  expect(await read()).toMatchObject(wanted)
  expect(await run('rollback', 'pay')).toMatchObject({ strategy: 'rollback', snapshots: ['1'] })
  expect(await read()).toMatchObject(wanted)
})

test.each([
  ['3', 'a policy tag', { policyTags: { names: [TAG] } }, `the policy tag of column v: ${TAG}`],
  ['4', 'a description of a column', { description: 'net' }, 'the description of column v'],
])('%s: %s only on the target holds the publish; on staging too it stays', async (id, _, with_, loss) => {
  await mark('shop', with_)
  const held = await send(id)
  expect(held).toMatchObject({ status: 'held' })
  expect(held.reason).toContain(`the publish would lose ${loss}`)
  expect((await read()).schema.fields).toContainEqual(expect.objectContaining(with_))
  await mark('freshet_staging', with_)
  expect(await run('approve', 'pay', id)).toMatchObject({ status: 'refreshed', reason: '' })
  for (const dataset of ['shop', 'freshet_staging'])
    expect((await read(dataset)).schema.fields).toContainEqual(expect.objectContaining(with_))
})

test('a row access policy holds the publish until it is gone', async () => {
  await policies('POST', '', { rowAccessPolicyReference: { policyId: 'emea' }, filterPredicate: 'TRUE' })
  const held = await send('5')
  expect(held).toMatchObject({ status: 'held' })
  expect(held.reason).toContain('the publish would lose the row access policy emea')
  expect(await policies('GET')).toMatchObject({
    rowAccessPolicies: [{ rowAccessPolicyReference: { policyId: 'emea' } }],
  })
  await policies('DELETE', '/emea')
  expect(await run('approve', 'pay', '5')).toMatchObject({ status: 'refreshed', rows: { after: 4 } })
})
