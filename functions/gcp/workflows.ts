/** Workflows behind its port: starting an execution is all that the functions do with it. */
import { ExecutionsClient } from '@google-cloud/workflows'
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
  endpoint?: string | undefined
}): Workflows {
  const { projectId, region, workflow, endpoint } = options
  const client = new ExecutionsClient({ projectId, ...endpointOptions(endpoint) })
  const parent = client.workflowPath(projectId, region, workflow)
  return {
    // Not idempotent, and need not be: an execution that does not get the lease ends at once.
    async startRefresh(feed) {
      await client.createExecution({
        parent,
        execution: { argument: JSON.stringify({ feed }), labels: { freshet_feed: feed } },
      })
    },
  }
}
