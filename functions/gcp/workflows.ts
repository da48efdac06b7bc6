/** Workflows behind its port: starting an execution is all that the functions do with it. */
import { ExecutionsClient } from '@google-cloud/workflows'
import type { ApplyStarter } from './change-ports.ts'
import type { Workflows } from './ports.ts'

type ClientOptions = ConstructorParameters<typeof ExecutionsClient>[0]

/** A plain HTTP endpoint is not Google's: REST without TLS. The client wants credentials even there; a key needs no login. */
function endpointOptions(endpoint: string | undefined): ClientOptions {
  if (endpoint === undefined) return {}
  const { hostname, port } = new URL(endpoint)
  return { fallback: true, protocol: 'http', apiEndpoint: hostname, port: Number(port), apiKey: 'local' }
}

export function makeWorkflows(options: {
  projectId: string
  region: string
  workflow: string
  applyWorkflow: string
  endpoint?: string | undefined
}): Workflows & ApplyStarter {
  const { projectId, region, workflow, applyWorkflow, endpoint } = options
  const client = new ExecutionsClient({ projectId, ...endpointOptions(endpoint) })
  const start = async (name: string, feed: string, argument: object) => {
    await client.createExecution({
      parent: client.workflowPath(projectId, region, name),
      execution: { argument: JSON.stringify({ feed, ...argument }), labels: { freshet_feed: feed } },
    })
  }
  // Not idempotent, and need not be: an execution that does not get the lease ends at once.
  return {
    startRefresh: feed => start(workflow, feed, {}),
    startApply: (feed, delivery) => start(applyWorkflow, feed, { delivery }),
  }
}
