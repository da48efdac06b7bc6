/** The real Pulumi Node runtime runs the program, as `pulumi up` would: serialization, dependencies and outputs are its own. */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { type Monitor, startMonitor } from './resource-monitor.ts'
import { ROOT } from './run-program.ts'
import { readStackCase } from './stack-case.ts'

const RUNTIME = join(ROOT, 'node_modules/@pulumi/pulumi/cmd/run/index.js')
const NODE = join(ROOT, 'node_modules/.bin/node')

const { main } = parse(readFileSync(join(ROOT, 'Pulumi.yaml'), 'utf8')) as { main: string }

/** As the CLI does for a `main` that is a file; it hands every setting over as text. */
async function up(settings: Readonly<Record<string, unknown>>, project: string | undefined) {
  const monitor = await startMonitor()
  const texts = Object.entries(settings).map(([key, value]) => [
    `freshet:${key}`,
    typeof value === 'string' ? value : JSON.stringify(value),
  ])
  const config = { ...Object.fromEntries(texts), ...(project && { 'gcp:project': project }) }
  const args = [
    RUNTIME,
    `--monitor=${monitor.monitor}`,
    `--engine=${monitor.engine}`,
    '--project=freshet',
    '--stack=prod',
    `--root-directory=${ROOT}`,
    `--pwd=${join(ROOT, dirname(main))}`,
    '--parallel=16',
    basename(main),
  ]
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, PULUMI_CONFIG: JSON.stringify(config) }
  const ended = await promisify(execFile)(NODE, args, { env, cwd: ROOT }).then(
    () => 0,
    (error: { code: number }) => error.code,
  )
  monitor.close()
  return { ...monitor, ended }
}
const upCase = (name: string, more: Readonly<Record<string, unknown>> = {}) => {
  const { project, settings } = readStackCase(name)
  return up({ ...settings, ...more }, project)
}

const HOLDS_DATA = /Bucket::(inbox|state)$|Dataset::(staging|messages|serving-)|Table::(messages|staging-)/
/** [protected, kept when removed] of everything that holds data. */
const guardsOf = ({ seen }: Monitor) =>
  seen
    .filter(({ urn }) => HOLDS_DATA.test(urn))
    .map(({ protect, retainOnDelete }) => [protect, retainOnDelete])

describe('the runtime', () => {
  test('registers the whole stack, each resource under a component, and protects what holds data', async () => {
    const run = await upCase('retail-with-capacity')
    const { seen, outputs, ended, said } = run
    expect({ ended, said }).toMatchObject({
      ended: 0,
      said: [expect.stringContaining('baselines cost about')],
    })
    const stack = seen.find(({ type }) => type === 'pulumi:pulumi:Stack')
    const loose = seen.filter(
      ({ type, parent }) => type.startsWith('gcp:') && (parent === '' || parent === stack?.urn),
    )
    expect(loose.map(({ urn }) => urn)).toEqual([])
    expect(guardsOf(run)).toEqual(Array(7).fill([true, true]))
    expect(outputs).toMatchObject({
      inbox: 'gs://shop-prod-freshet-prod-inbox',
      messages: 'shop-prod.freshet_prod_messages.refreshed',
      workflow: 'freshet-prod-refresh',
      targets: { 'store-attributes': 'shop-prod.retail.store_attributes' },
    })
  })

  test('makes things in an order that works, and lets go of data when it is told to', async () => {
    const run = await upCase('own-key', { destroyData: true })
    const { seen } = run
    const dependsOn = (name: string, type: string, on: string) => {
      const found = seen.find(one => one.name === name && one.type.endsWith(type))
      expect(
        found?.dependencies.filter(urn => urn.includes(on)),
        `${name} depends on ${on}`,
      ).not.toEqual([])
    }
    dependsOn('inbox', ':Bucket', 'key-storage')
    dependsOn('staging', ':Dataset', 'key-bigquery')
    dependsOn('refreshed', ':Topic', 'key-pubsub')
    dependsOn('on-object', ':Function', 'BucketObject::source')
    dependsOn('on-object', ':Function', 'on-object-state-objectUser')
    dependsOn('refresh', ':Workflow', 'Function::plan')
    dependsOn('set-dead-letter', ':Command', 'arrivals-subscriber')
    dependsOn('to-bigquery', ':Subscription', 'messages-writer')
    dependsOn('alert-late', ':AlertPolicy', 'Metric::outcomes')
    dependsOn('rename-orders', ':Job', 'Table::staging-orders')
    expect(guardsOf(run)).toEqual(Array(7).fill([false, false]))
    const dataset = seen.find(({ urn }) => urn.endsWith('Dataset::serving-sales'))
    expect(dataset?.inputs).toMatchObject({ deleteContentsOnDestroy: true })
  })

  test('makes nothing at all when the settings are not right', async () => {
    const { ended, seen, said } = await up({ capacity: { enable: true } }, undefined)
    expect(ended).not.toBe(0)
    expect(seen.filter(({ type }) => type.startsWith('gcp:'))).toEqual([])
    expect(said.join('\n')).toContain('freshet:location is not set')
    expect(said.join('\n')).toContain('freshet:capacity.enable is no setting')
  })
})
