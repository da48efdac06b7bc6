/** Cloud Storage's JSON API on a folder. */
import { resolve } from 'node:path'
import { startServer } from '../server.ts'
import type { Clock, FinalizeListener, ObjectFile, ObjectFiles, Service } from '../service.ts'
import { lowerBound, prefixEnd } from './ordered-names.ts'
import { Sessions } from './resumable.ts'
import { makeRoutes } from './routes.ts'
import { State, type StoredObject } from './state.ts'
import { encodeObject, storageErrors } from './wire.ts'

export interface StorageOptions {
  /** Everything lives here and is there again at the next start. One process at a time. */
  readonly dir: string
  readonly clock: Clock
  readonly port?: number
}

export interface StorageService extends Service {
  readonly files: ObjectFiles
  /** Called once the object is durable, in the order of commits. */
  onFinalize(listener: FinalizeListener): void
}

function makeFiles(state: State): ObjectFiles {
  const toFile = (object: StoredObject): ObjectFile => {
    const { bucket, name, generation, size } = object
    return { bucket, name, generation, size, path: state.contentPath(object) }
  }
  return {
    find(bucket, name) {
      const object = state.find(bucket, name)
      return object && toFile(object)
    },
    list(bucket, prefix) {
      const { names, objects } = state.shelf(bucket)
      const from = lowerBound(names, prefix)
      const found = names.slice(from, prefixEnd(names, prefix, from))
      return found.flatMap(name => objects.get(name) ?? []).map(toFile)
    },
  }
}

export async function startStorage({ dir, clock, port = 0 }: StorageOptions): Promise<StorageService> {
  const listeners: FinalizeListener[] = []
  let base = ''
  const state = new State(resolve(dir), clock, object => {
    for (const listener of listeners) listener(encodeObject(object, base))
  })
  const sessions = new Sessions(state)
  const { url, server, close } = await startServer(makeRoutes(state, sessions), storageErrors, port)
  base = url
  // A large upload may take longer than the five minutes that Node allows a request.
  server.requestTimeout = 0
  return {
    url,
    files: makeFiles(state),
    onFinalize: listener => listeners.push(listener),
    async close() {
      await close()
      await sessions.close()
    },
  }
}
