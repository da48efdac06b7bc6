/** The catalogue: what tables there are, changed only by whole transactions, in memory and on disk alike. */
import type { DuckDBConnection } from '@duckdb/node-api'
import type { Clock } from '../../service.ts'
import { type Engine, readNumber, readRows } from '../engine.ts'
import type { JobEntry } from '../jobs/job.ts'
import { Draft } from './draft.ts'
import {
  type DatasetEntry,
  heldSegments,
  keyOf,
  type Segment,
  segmentName,
  type TableEntry,
} from './entry.ts'
import { CatalogueStorage } from './storage.ts'

export class Catalogue {
  private readonly contents
  private readonly pins = new Map<number, number>()
  private readonly connection: DuckDBConnection
  private readonly storage: CatalogueStorage
  private readonly clock: Clock
  private queue: Promise<unknown> = Promise.resolve()
  private nextSegment = 1
  readonly jobs: ReadonlyMap<string, JobEntry>

  private constructor(
    connection: DuckDBConnection,
    storage: CatalogueStorage,
    clock: Clock,
    contents: Awaited<ReturnType<CatalogueStorage['load']>>,
  ) {
    this.connection = connection
    this.storage = storage
    this.clock = clock
    this.contents = { ...contents, arrivals: new Map<number, number>() }
    this.jobs = contents.jobs
  }

  /** Reads the catalogue back and drops segments that a crash left without a table. */
  static async open(engine: Engine, clock: Clock): Promise<Catalogue> {
    const connection = await engine.connect()
    const storage = await CatalogueStorage.open(connection)
    const catalogue = new Catalogue(connection, storage, clock, await storage.load())
    await catalogue.dropOrphans()
    await catalogue.countArrivals()
    return catalogue
  }

  /** What is there now. Take one for each statement and don't keep it. */
  view(): Draft {
    return new Draft(this.contents, this.clock.now())
  }

  /** A view that stays as it is now, with all its segments, for a transaction. */
  freeze(): { readonly draft: Draft; release(): Promise<void> } {
    const { datasets, tables, segments, arrivals } = this.contents
    const release = this.pin([...segments.keys()])
    const frozen = {
      datasets: new Map(datasets),
      tables: new Map(tables),
      segments,
      arrivals: new Map(arrivals),
    }
    return { draft: new Draft(frozen, this.clock.now()), release }
  }

  datasetIds(): string[] {
    return [...this.contents.datasets.keys()].sort()
  }

  /**
   * Runs `change` alone, then makes everything it put in the draft true at once, on disk first. What `change` throws
   * leaves nothing behind. `change` must not wait for anything: what it read could be outdated by then.
   */
  transact<T>(change: (draft: Draft) => T): Promise<T> {
    const work = async () => {
      const draft = this.view()
      const answer = change(draft)
      await this.storage.writeChanges(draft.changes)
      apply(this.contents.datasets, draft.changes.datasets)
      apply(this.contents.tables, draft.changes.tables)
      apply(this.contents.jobs, draft.changes.jobs)
      if (draft.changes.tables.size > 0) await this.sweep()
      return answer
    }
    return this.enqueue(work)
  }

  /** A number for a new segment, pinned until `release`. */
  reserve(): { readonly id: number; release(): Promise<void> } {
    const id = this.nextSegment++
    return { id, release: this.pin([id]) }
  }

  /** Makes a filled DuckDB table known as a segment; a table may refer to it from then on. */
  addSegment(segment: Segment): Promise<void> {
    return this.enqueue(async () => {
      await this.storage.writeSegment(segment)
      this.contents.segments.set(segment.id, segment)
    })
  }

  /** Lets `rows` more of a segment of changes be seen; they are on disk. */
  arrive(id: number, rows: number): void {
    this.contents.arrivals.set(id, (this.contents.arrivals.get(id) ?? 0) + rows)
  }

  /** Keeps segments from being dropped while someone reads them. */
  pin(ids: readonly number[]): () => Promise<void> {
    for (const id of ids) this.pins.set(id, (this.pins.get(id) ?? 0) + 1)
    let held = true
    return async () => {
      if (!held) return
      held = false
      for (const id of ids) {
        const left = (this.pins.get(id) ?? 1) - 1
        if (left === 0) this.pins.delete(id)
        else this.pins.set(id, left)
      }
      await this.enqueue(() => this.sweep())
    }
  }

  /** Waits for what is under way and lets go of the file. */
  async close(): Promise<void> {
    await this.enqueue(async () => this.storage.close())
  }

  private enqueue<T>(work: () => Promise<T>): Promise<T> {
    const result = this.queue.then(work)
    this.queue = result.catch(() => {})
    return result
  }

  /** Drops segments that no table has and nobody reads, and tables whose time is over. */
  private async sweep(): Promise<void> {
    const now = this.clock.now()
    const expired = [...this.contents.tables.values()].filter(t => (t.expirationTime ?? now + 1) <= now)
    if (expired.length > 0) {
      const changes = new Draft(this.contents, now).changes
      for (const table of expired) changes.tables.set(keyOf(table), undefined)
      await this.storage.writeChanges(changes)
      apply(this.contents.tables, changes.tables)
    }
    const used = new Set<number>()
    for (const table of this.contents.tables.values()) for (const id of heldSegments(table)) used.add(id)
    const dead = [...this.contents.segments.keys()].filter(id => !used.has(id) && !this.pins.has(id))
    for (const id of dead) {
      await this.connection.run(`DROP TABLE IF EXISTS ${segmentName(id)}`)
      await this.storage.forgetSegment(id)
      this.contents.segments.delete(id)
      this.contents.arrivals.delete(id)
    }
    if (dead.length > 0) await this.reclaim()
  }

  /** Gives freed blocks back to the file. Refused by DuckDB while other transactions write: then the next time will do. */
  private async reclaim(): Promise<void> {
    await this.connection.run('CHECKPOINT').catch(() => {})
  }

  private async countArrivals(): Promise<void> {
    for (const { upserts } of this.contents.tables.values()) {
      for (const { segment } of upserts?.waiting ?? []) {
        this.arrive(
          segment,
          await readNumber(this.connection, `SELECT count(*) FROM ${segmentName(segment)}`),
        )
      }
    }
  }

  private async dropOrphans(): Promise<void> {
    const rows = await readRows(
      this.connection,
      "SELECT table_name FROM duckdb_tables() WHERE table_name LIKE 'seg\\_%' ESCAPE '\\'",
    )
    const ids = rows.map(row => Number(String(row.table_name).slice('seg_'.length)))
    this.nextSegment = Math.max(0, ...ids, ...this.contents.segments.keys()) + 1
    for (const id of ids) {
      if (!this.contents.segments.has(id)) await this.connection.run(`DROP TABLE ${segmentName(id)}`)
    }
    await this.enqueue(() => this.sweep())
  }
}

function apply<K, V extends DatasetEntry | TableEntry | JobEntry>(
  target: Map<K, V>,
  changes: ReadonlyMap<K, V | undefined>,
) {
  for (const [key, value] of changes) {
    if (value) target.set(key, value)
    else target.delete(key)
  }
}
