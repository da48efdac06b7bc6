/** The embedded BigQuery: its REST API and the Storage Write API on DuckDB, in one file of one folder and on one port. */
import { mkdirSync } from 'node:fs'
import { startOnePort } from '../one-port.ts'
import { makeListener } from '../server.ts'
import type { Clock, ObjectFiles, Service } from '../service.ts'
import { Catalogue } from './catalogue/catalogue.ts'
import { type Applies, startChanges } from './changes/changes.ts'
import { openEngine } from './engine.ts'
import { bigQueryErrors } from './errors.ts'
import { makeLocks } from './jobs/locks.ts'
import { makeRunner, stopCutOff } from './jobs/runner.ts'
import { makeRoutes } from './routes.ts'
import { makeWriteServer } from './write/grpc.ts'

export interface BigQueryOptions {
  /** Where everything is kept; made when it is not there. One process at a time. */
  readonly dir: string
  readonly clock: Clock
  readonly project: string
  readonly location: string
  /** Where `gs://` URIs of load jobs are looked up. */
  readonly objects: ObjectFiles
  /** 0 or absent picks a free one. */
  readonly port?: number | undefined
  /** DuckDB's spelling, such as `2GB`; half of the machine's memory when absent. */
  readonly memoryLimit?: string | undefined
  /** All cores when absent. */
  readonly threads?: number | undefined
  /** When streamed changes are applied: by the clock when absent, else only by `applyChanges`. */
  readonly applies?: Applies | undefined
}

export interface BigQueryService extends Service {
  /** Applies all streamed changes that wait; answers how many tables had some. */
  applyChanges(): Promise<number>
}

export async function startBigQuery(options: BigQueryOptions): Promise<BigQueryService> {
  const { dir, clock, project, location, objects, port } = options
  mkdirSync(dir, { recursive: true })
  const engine = await openEngine(options)
  const catalogue = await Catalogue.open(engine, clock)
  const deps = { catalogue, engine, clock, locks: makeLocks(), objects, project, location }
  await stopCutOff(deps)
  const runner = makeRunner(deps)
  let url = ''
  const changes = startChanges(deps, options.applies ?? 'as time goes by')
  const listener = makeListener(
    makeRoutes(deps, runner, () => url),
    bigQueryErrors,
  )
  const server = await startOnePort(listener, makeWriteServer(deps, changes), port)
  url = server.url
  return {
    url,
    applyChanges: () => changes.apply(),
    async close() {
      await server.close()
      await changes.close()
      await runner.close()
      engine.close()
    },
  }
}
