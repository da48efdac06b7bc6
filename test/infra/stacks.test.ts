/** Whole stacks under mocks: what is in them, that nothing is public, that names fit and do not collide. */
import { describe, expect, test } from 'vitest'
import { renderStack } from './render-stack.ts'
import type { Registered, StackRun } from './run-program.ts'
import { runStackCase, STACK_CASES } from './stack-case.ts'

const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const ofType = ({ resources }: StackRun, type: string) =>
  resources.filter(one => one.type.endsWith(`:${type}`))

/** What Google calls a resource, where two of them could meet. */
const identityOf = ({ type, inputs }: Registered): string | undefined => {
  const id = inputs.name ?? inputs.datasetId ?? inputs.accountId ?? inputs.roleId ?? inputs.serviceId
  const made =
    /Bucket|Dataset|Account|Function|Workflow|Topic|Subscription|Schema|Job|Metric|CustomRole|CustomService$/
  return type.startsWith('gcp:') && made.test(type) && !/I[Aa][Mm]Member|BucketObject|Table/.test(type)
    ? `${type} ${id}`
    : undefined
}

/** docs.cloud.google.com: iam service accounts, functions, storage buckets, bigquery datasets, pub/sub, logging, roles */
const LIMITS: readonly [RegExp, string, RegExp][] = [
  [/serviceaccount\/account/, 'accountId', /^[a-z][a-z0-9-]{4,28}[a-z0-9]$/],
  [/cloudfunctionsv2\/function:/, 'name', /^[a-z][a-z0-9-]{0,61}[a-z0-9]$/],
  [/workflows\/workflow/, 'name', /^[a-z][a-z0-9_-]{0,63}$/],
  [/storage\/bucket:/, 'name', /^[a-z0-9][a-z0-9_-]{1,61}[a-z0-9]$/],
  [/bigquery\/dataset:/, 'datasetId', /^\w{1,1024}$/],
  [/bigquery\/table:/, 'tableId', /^\w{1,1024}$/],
  [/pubsub\/(topic|subscription|schema):/, 'name', /^[A-Za-z][\w.~+%-]{2,254}$/],
  [/logging\/metric/, 'name', /^[\w./-]{1,100}$/],
  [/projects\/iAMCustomRole/, 'roleId', /^[\w.]{3,64}$/],
  [/monitoring\/slo/, 'sloId', /^[A-Za-z0-9_.:-]{1,63}$/],
  [/monitoring\/customService/, 'serviceId', /^[A-Za-z0-9_.:-]{1,63}$/],
  [/cloudscheduler\/job/, 'name', /^[\w-]{1,500}$/],
  [/bigquery\/reservation:/, 'name', /^[a-z][a-z0-9-]{0,62}[a-z0-9]$/],
]

describe.each(STACK_CASES)('%s', name => {
  test('is what it was when somebody last looked', async () => {
    const stack = await runStackCase(name)
    await expect(renderStack(stack)).toMatchFileSnapshot(`../cases/infra/${name}/resources.txt`)
  })

  test('makes nothing public and gives no primitive role', async () => {
    const stack = await runStackCase(name)
    const all = JSON.stringify(stack.resources.map(({ inputs }) => inputs))
    expect(all).not.toMatch(/allUsers|allAuthenticatedUsers|"roles\/(owner|editor|viewer)"/)
    for (const { inputs } of ofType(stack, 'Bucket'))
      expect(inputs).toMatchObject({ publicAccessPrevention: 'enforced', uniformBucketLevelAccess: true })
    for (const { inputs } of ofType(stack, 'Function'))
      expect(inputs).toMatchObject({ serviceConfig: { ingressSettings: 'ALLOW_INTERNAL_ONLY' } })
  })

  test('keeps within the length of every name', async () => {
    const stack = await runStackCase(name)
    const long = stack.resources.flatMap(({ type, inputs }) =>
      LIMITS.filter(([kind, key, form]) => kind.test(type) && !form.test(text(inputs[key]))).map(
        ([, key]) => `${type} ${inputs[key]}`,
      ),
    )
    expect(long).toEqual([])
  })

  test('has its parts for each feed', async () => {
    const stack = await runStackCase(name)
    const tables = ofType(stack, 'Table').filter(one => one.name.startsWith('staging-'))
    expect(tables.length).toBeGreaterThan(0)
    const feeds = tables.map(one => one.name.slice('staging-'.length))
    expect(
      ofType(stack, 'Slo')
        .map(({ inputs }) => inputs.sloId)
        .toSorted(),
    ).toEqual(feeds.toSorted())
    const dashboard = text(ofType(stack, 'Dashboard')[0]?.inputs.dashboardJson)
    for (const feed of feeds) expect(dashboard).toContain(`metric.label.feed=\\"${feed}\\"`)
    expect(Object.keys(stack.outputs.targets as object).toSorted()).toEqual(feeds.toSorted())
  })
})

test('two stacks of one project share only the datasets that they serve from', async () => {
  const names = async (stack: string) =>
    (await runStackCase('minimal', stack)).resources.map(identityOf).filter(id => id !== undefined)
  const [one, two] = [await names('prod'), await names('test')]
  expect(one.filter(id => two.includes(id))).toEqual(['gcp:bigquery/dataset:Dataset geo'])
  expect(new Set(one).size).toBe(one.length)
})
