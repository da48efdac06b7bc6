/** Cloud Storage in the simulator: objects with true generations, and every generation that ever was. */
import { crc32 } from 'node:zlib'
import type { Objects, StoredObject } from '../../functions/gcp/ports.ts'
import type { Actor, Failures, World } from './world.ts'

export interface Generation extends StoredObject {
  readonly bucket: string
  readonly text: string
}

/** Told of each change; `generation` is absent when the object was removed. */
export type Watcher = (bucket: string, name: string, generation: Generation | undefined) => void

const checksum = (text: string): string => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(crc32(text))
  return bytes.toString('base64')
}

export class Store {
  readonly #live = new Map<string, Generation>()
  readonly #archive = new Map<string, Generation>()
  readonly #watchers: Watcher[] = []
  readonly #now: () => number
  #generation = 1_000

  constructor(now: () => number) {
    this.#now = now
  }

  watch(watcher: Watcher): void {
    this.#watchers.push(watcher)
  }

  get(bucket: string, name: string): Generation | undefined {
    return this.#live.get(`${bucket}/${name}`)
  }

  /** Any generation, replaced ones too. */
  past(bucket: string, name: string, generation: string): Generation | undefined {
    return this.#archive.get(`${bucket}/${name}#${generation}`)
  }

  list(bucket: string, prefix: string): Generation[] {
    return [...this.#live.values()]
      .filter(object => object.bucket === bucket && object.name.startsWith(prefix))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
  }

  put(bucket: string, name: string, text: string): Generation {
    this.#generation += 1
    const generation: Generation = {
      bucket,
      name,
      text,
      generation: String(this.#generation),
      size: Buffer.byteLength(text),
      crc32c: checksum(text),
      createdAt: new Date(this.#now()).toISOString(),
    }
    this.#live.set(`${bucket}/${name}`, generation)
    this.#archive.set(`${bucket}/${name}#${generation.generation}`, generation)
    for (const watcher of this.#watchers) watcher(bucket, name, generation)
    return generation
  }

  /** `undefined`: the precondition does not hold, and nothing was written. */
  putIf(bucket: string, name: string, text: string, ifGeneration?: string): string | undefined {
    const live = this.get(bucket, name)?.generation ?? '0'
    if (ifGeneration !== undefined && ifGeneration !== live) return undefined
    return this.put(bucket, name, text).generation
  }

  removeIf(bucket: string, name: string, ifGeneration?: string): void {
    const live = this.get(bucket, name)
    if (!live || (ifGeneration !== undefined && ifGeneration !== live.generation)) return
    this.#live.delete(`${bucket}/${name}`)
    for (const watcher of this.#watchers) watcher(bucket, name, undefined)
  }
}

const apiError = (code: number) => () => Object.assign(new Error(`storage answered ${code}`), { code })
const failures: Failures = {
  refused: [apiError(429), apiError(503), apiError(500), () => new Error('storage: connection refused')],
  lost: [apiError(503), apiError(500), () => new Error('storage: connection reset')],
}

/** The port `Objects` for one actor. The client repeats by itself what it may: a lost answer of a write becomes a 412. */
export function makeObjects(world: World, actor: Actor, store: Store): Objects {
  const call = <T>(what: string, act: () => T) => world.call(actor, what, failures, act)
  return {
    stat: (bucket, name) => call(`stat ${name}`, () => store.get(bucket, name)),
    list: (bucket, prefix) => call(`list ${prefix}`, () => store.list(bucket, prefix)),
    listLevel: (bucket, prefix) =>
      call(`list ${prefix} by folder`, () => {
        const cut = (name: string) => name.indexOf('/', prefix.length) + 1 || name.length
        const names = store.list(bucket, prefix).map(({ name }) => name.slice(0, cut(name)))
        return { names: [...new Set(names)], more: false }
      }),
    readText: (bucket, name) =>
      call(`read ${name}`, () => {
        const found = store.get(bucket, name)
        return found && { text: found.text, generation: found.generation }
      }),
    readRange: (bucket, name, { generation, start, end }) =>
      call(`read ${name} ${start}-${end}`, () => {
        const found = store.get(bucket, name)
        if (found?.generation !== generation) return undefined
        return Buffer.from(found.text).subarray(start, end)
      }),
    writeText: (bucket, name, text, ifGeneration) =>
      call(`write ${name}`, () => {
        const written = store.putIf(bucket, name, text, ifGeneration)
        const again = ifGeneration !== undefined && world.random.chance(world.trouble.lost)
        if (again) world.note(actor.name, `write ${name}: repeated by the client, so 412`)
        return again ? undefined : written
      }),
    remove: (bucket, name, ifGeneration) =>
      call(`remove ${name}`, () => store.removeIf(bucket, name, ifGeneration)),
  }
}
