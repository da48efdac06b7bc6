/** Serves the deployed functions in this process, each on a loopback port of its own. */
import { setMaxListeners } from 'node:events'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { getTestServer } from '@google-cloud/functions-framework/testing'
import { register } from '../functions/main.ts'
import { FUNCTION_ENV, FUNCTIONS, type FunctionName } from '../functions/names.ts'
import type { Cloud } from '../local/cloud.ts'
import { NAMES } from './laptop-names.ts'

export interface ServedFunctions {
  /** The environment that they run with. */
  readonly env: Readonly<Record<string, string>>
  readonly urls: Readonly<Record<FunctionName, string>>
  close(): Promise<void>
}

function functionEnv(cloud: Cloud, feedsDir: string): Record<string, string> {
  return {
    ...cloud.env,
    [FUNCTION_ENV.project]: cloud.project,
    [FUNCTION_ENV.location]: cloud.location,
    [FUNCTION_ENV.region]: NAMES.location,
    [FUNCTION_ENV.inbox]: NAMES.inbox,
    [FUNCTION_ENV.state]: NAMES.state,
    [FUNCTION_ENV.landing]: NAMES.landing,
    [FUNCTION_ENV.staging]: NAMES.staging,
    [FUNCTION_ENV.topic]: NAMES.topic,
    [FUNCTION_ENV.workflow]: NAMES.workflow,
    [FUNCTION_ENV.applyWorkflow]: NAMES.applyWorkflow,
    [FUNCTION_ENV.feeds]: feedsDir,
    [FUNCTION_ENV.logFile]: join(cloud.dir, 'functions.log'),
  }
}

async function serve(name: FunctionName) {
  const server = getTestServer(name)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  const close = async () => {
    const closed = new Promise<void>(resolve => server.close(() => resolve()))
    server.closeAllConnections()
    await closed
  }
  return { name, url: `http://127.0.0.1:${port}`, close }
}

// A download of @google-cloud/storage hangs eleven listeners on one stream; Node takes more than ten for a leak.
setMaxListeners(20)

export async function serveFunctions(cloud: Cloud, feedsDir: string): Promise<ServedFunctions> {
  const env = functionEnv(cloud, feedsDir)
  register(env)
  const served = await Promise.all(Object.values(FUNCTIONS).map(serve))
  const urls = Object.fromEntries(served.map(({ name, url }) => [name, url])) as Record<FunctionName, string>
  return { env, urls, close: async () => void (await Promise.all(served.map(({ close }) => close()))) }
}
