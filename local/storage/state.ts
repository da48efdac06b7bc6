/** Buckets and live objects: an index in memory over the folder. Every change is one step that nothing can interrupt. */
import type { Clock } from '../service.ts'
import { type Disk, openDisk } from './disk.ts'
import { bucketExists, bucketNotEmpty, bucketNotFound } from './errors.ts'
import { applyChange, type FieldChange, type ObjectFields } from './fields.ts'
import type { Content } from './incoming.ts'
import { insertName, removeName } from './ordered-names.ts'
import { checkWrite, type Preconditions, requireObject } from './preconditions.ts'

export interface Bucket {
  readonly name: string
  readonly project: string
  readonly location: string
  readonly storageClass: string
  readonly timeCreated: string
  readonly labels?: Readonly<Record<string, string>>
  readonly iamConfiguration?: unknown
}

export interface StoredObject {
  readonly bucket: string
  readonly name: string
  /** Microseconds since 1970, unique in this folder: a decimal text, as Google sends it. */
  readonly generation: string
  readonly metageneration: number
  readonly size: number
  readonly crc32c: string
  readonly md5Hash?: string
  readonly componentCount?: number
  readonly timeCreated: string
  readonly updated: string
  readonly fields: ObjectFields
}

/** A bucket with its objects, and their names in listing order. */
export interface Shelf {
  readonly bucket: Bucket
  readonly objects: Map<string, StoredObject>
  readonly names: string[]
}

export interface NewObject {
  readonly bucket: string
  readonly name: string
  readonly fields: ObjectFields
  readonly content: Content
  readonly conditions: Preconditions
}

function put(shelf: Shelf, object: StoredObject): void {
  shelf.objects.set(object.name, object)
  insertName(shelf.names, object.name)
}

/** Of two objects with one name, left by a crash between commit and clearing, the newer is the committed one. */
function readShelves(disk: Disk): { shelves: Map<string, Shelf>; last: number } {
  const { buckets, objects } = disk.read()
  const shelves = new Map<string, Shelf>(
    buckets.map(bucket => [bucket.name, { bucket, objects: new Map(), names: [] }]),
  )
  const inOrder = objects.toSorted((a, b) => Number(a.generation) - Number(b.generation))
  for (const object of inOrder) {
    const shelf = shelves.get(object.bucket)
    if (!shelf) throw new Error(`An object of ${object.bucket} lies in the folder of another bucket.`)
    const older = shelf.objects.get(object.name)
    if (older) disk.removeObject(older)
    put(shelf, object)
  }
  return { shelves, last: Number(inOrder.at(-1)?.generation ?? 0) }
}

/** Everything the service knows. Its methods never await, so a check and the change that follows it are one step. */
export class State {
  readonly #disk: Disk
  readonly #clock: Clock
  readonly #announce: (object: StoredObject) => void
  readonly #shelves: Map<string, Shelf>
  #generation: number

  /** `announce` hears of every object that becomes live, once it is durable. */
  constructor(dir: string, clock: Clock, announce: (object: StoredObject) => void) {
    this.#disk = openDisk(dir)
    this.#clock = clock
    this.#announce = announce
    const { shelves, last } = readShelves(this.#disk)
    this.#shelves = shelves
    this.#generation = last
  }

  /** The folder for bytes that no object owns yet. */
  get incoming(): string {
    return this.#disk.incoming
  }

  contentPath(object: StoredObject): string {
    return this.#disk.contentPath(object.bucket, object.generation)
  }

  shelf(bucket: string): Shelf {
    const found = this.#shelves.get(bucket)
    if (!found) throw bucketNotFound()
    return found
  }

  find(bucket: string, name: string): StoredObject | undefined {
    return this.shelf(bucket).objects.get(name)
  }

  buckets(): Bucket[] {
    return [...this.#shelves.values().map(item => item.bucket)]
  }

  createBucket(fields: Omit<Bucket, 'timeCreated'>): Bucket {
    if (this.#shelves.has(fields.name)) throw bucketExists()
    const bucket = { ...fields, timeCreated: this.#now() }
    this.#disk.writeBucket(bucket)
    this.#shelves.set(bucket.name, { bucket, objects: new Map(), names: [] })
    return bucket
  }

  deleteBucket(name: string): void {
    if (this.shelf(name).objects.size > 0) throw bucketNotEmpty()
    this.#disk.removeBucket(name)
    this.#shelves.delete(name)
  }

  /** Checks the preconditions and makes the content the live object. Takes the content's file over when it succeeds. */
  commit({ bucket, name, fields, content, conditions }: NewObject): StoredObject {
    const shelf = this.shelf(bucket)
    const older = shelf.objects.get(name)
    checkWrite(conditions, older)
    this.#generation = Math.max(this.#generation + 1, this.#clock.now() * 1000)
    const generation = String(this.#generation)
    const { path, ...sums } = content
    const times = { timeCreated: this.#now(), updated: this.#now() }
    const object = { bucket, name, generation, metageneration: 1, ...sums, ...times, fields }
    this.#disk.writeObject(object, path)
    put(shelf, object)
    if (older) this.#disk.removeObject(older)
    this.#announce(object)
    return object
  }

  /** `generation` null means whichever is live. */
  patch(
    bucket: string,
    name: string,
    generation: string | null,
    change: FieldChange,
    conditions: Preconditions,
  ) {
    const shelf = this.shelf(bucket)
    const object = requireObject(shelf.objects.get(name), { bucket, name, generation })
    checkWrite(conditions, object)
    const fields = applyChange(object.fields, change)
    const next = { ...object, fields, metageneration: object.metageneration + 1, updated: this.#now() }
    this.#disk.writeFields(next)
    shelf.objects.set(name, next)
    return next
  }

  remove(bucket: string, name: string, generation: string | null, conditions: Preconditions): void {
    const shelf = this.shelf(bucket)
    const object = requireObject(shelf.objects.get(name), { bucket, name, generation })
    checkWrite(conditions, object)
    shelf.objects.delete(name)
    removeName(shelf.names, name)
    this.#disk.removeObject(object)
  }

  #now(): string {
    return new Date(this.#clock.now()).toISOString()
  }
}
