/** gcloud deploys and runs a workflow on the embedded Workflows, without a login. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../local/service.ts'
import { startWorkflows, type WorkflowsService } from '../../local/workflows/index.ts'

const PROJECT = 'contract'
const LOCATION = 'europe-west1'
const NOWHERE = 'http://127.0.0.1:9'

let service: WorkflowsService
beforeAll(async () => {
  const endpoints = { bigquery: NOWHERE, storage: NOWHERE, pubsub: NOWHERE }
  service = await startWorkflows({ clock: systemClock, project: PROJECT, location: LOCATION, endpoints })
})
afterAll(() => service.close())

const run = promisify(execFile)
const gcloud = await run('gcloud', ['version']).then(
  () => true,
  () => false,
)

describe('gcloud', () => {
  const environment = (config: string) => ({
    ...process.env,
    CLOUDSDK_CONFIG: config,
    CLOUDSDK_CORE_DISABLE_PROMPTS: '1',
    CLOUDSDK_AUTH_DISABLE_CREDENTIALS: 'true',
    CLOUDSDK_CORE_PROJECT: PROJECT,
    CLOUDSDK_WORKFLOWS_LOCATION: LOCATION,
    CLOUDSDK_API_ENDPOINT_OVERRIDES_WORKFLOWS: `${service.url}/`,
    CLOUDSDK_API_ENDPOINT_OVERRIDES_WORKFLOWEXECUTIONS: `${service.url}/`,
  })

  test('deploys and executes', { timeout: 180_000 }, async context => {
    if (!gcloud) return context.skip('gcloud is not installed')
    const config = await mkdtemp(join(tmpdir(), 'gcloud-'))
    try {
      const source = join(config, 'w.yaml')
      await writeFile(source, `main:\n  params: [a]\n  steps:\n    - r:\n        return: \${a.x + 1}\n`)
      const env = environment(config)
      await run('gcloud', ['workflows', 'deploy', 'cli', `--source=${source}`, '--format=json'], { env })
      const { stdout } = await run(
        'gcloud',
        ['workflows', 'run', 'cli', '--data={"x":41}', '--format=json'],
        { env },
      )
      expect(JSON.parse(stdout)).toMatchObject({ state: 'SUCCEEDED', result: '42' })
    } finally {
      await rm(config, { recursive: true })
    }
  })
})
