/** All that the embedded BigQuery serves over HTTP. */
import type { Route } from '../server.ts'
import { user } from './jobs/job.ts'
import type { Deps } from './jobs/run.ts'
import type { Runner } from './jobs/runner.ts'
import { makeDatasetRoutes } from './rest/datasets.ts'
import { discoveryDocument } from './rest/discovery.ts'
import { makeJobRoutes } from './rest/jobs.ts'
import { makeTabledataRoutes } from './rest/results.ts'
import { makeTableRoutes } from './rest/tables.ts'

/** `url` is asked late: it is known only once the server listens. */
export function makeRoutes(deps: Deps, runner: Runner, url: () => string): Route[] {
  const { project } = deps
  const projects = [
    {
      kind: 'bigquery#project',
      id: project,
      projectReference: { projectId: project },
      friendlyName: project,
    },
  ]
  const discover = () => discoveryDocument(url())
  return [
    { method: 'GET', path: '/$discovery/rest', handler: discover },
    { method: 'GET', path: '/discovery/v1/apis/bigquery/v2/rest', handler: discover },
    {
      method: 'GET',
      path: '/bigquery/v2/projects',
      handler: () => ({ kind: 'bigquery#projectList', etag: '""', projects, totalItems: 1 }),
    },
    {
      method: 'GET',
      path: '/bigquery/v2/projects/:project/serviceAccount',
      handler: () => ({ kind: 'bigquery#getServiceAccountResponse', email: user }),
    },
    ...makeTabledataRoutes(deps),
    ...makeTableRoutes(deps, url),
    ...makeDatasetRoutes(deps, url),
    ...makeJobRoutes(deps, runner, url),
  ]
}
