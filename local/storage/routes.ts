/** Every address that the embedded Cloud Storage serves. */
import type { Call, Route } from '../server.ts'
import { makeBucketRoutes } from './bucket-routes.ts'
import { makeCopyRoutes } from './copy-routes.ts'
import { makeObjectRoutes } from './object-routes.ts'
import { checkParameters } from './parameters.ts'
import type { Sessions } from './resumable.ts'
import type { State } from './state.ts'
import { makeUploadRoutes } from './upload-routes.ts'

function checked(route: Route): Route {
  const handler = (call: Call) => {
    checkParameters(call.url.searchParams)
    return route.handler(call)
  }
  return { ...route, handler }
}

export function makeRoutes(state: State, sessions: Sessions): Route[] {
  const json = ['/storage/v1', ''].flatMap(root => [
    ...makeObjectRoutes(state, root),
    ...makeCopyRoutes(state, root),
    ...makeBucketRoutes(state, root),
  ])
  return [...makeUploadRoutes(state, sessions), ...json].map(checked)
}
