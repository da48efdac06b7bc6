/** One change of the catalogue in the making: reads see what it has changed so far. */
import type { JobEntry } from '../jobs/job.ts'
import { type DatasetEntry, keyOf, type Segment, type TableEntry, type TableId } from './entry.ts'

/** What is live: `Catalogue` owns one and nobody else changes it. */
export interface Contents {
  readonly datasets: ReadonlyMap<string, DatasetEntry>
  readonly tables: ReadonlyMap<string, TableEntry>
  readonly segments: ReadonlyMap<number, Segment>
  /** How many rows of each segment of changes have arrived; more may be on their way in. */
  readonly arrivals: ReadonlyMap<number, number>
}

/** `undefined` means removed. */
export interface Changes {
  readonly datasets: Map<string, DatasetEntry | undefined>
  readonly tables: Map<string, TableEntry | undefined>
  readonly jobs: Map<string, JobEntry>
}

export class Draft {
  readonly changes: Changes = { datasets: new Map(), tables: new Map(), jobs: new Map() }
  readonly now: number
  private readonly base: Contents

  constructor(base: Contents, now: number) {
    this.base = base
    this.now = now
  }

  dataset(id: string): DatasetEntry | undefined {
    return this.changes.datasets.has(id) ? this.changes.datasets.get(id) : this.base.datasets.get(id)
  }

  /** A table whose expiration time has passed is not there. */
  table(id: TableId): TableEntry | undefined {
    const key = keyOf(id)
    const entry = this.changes.tables.has(key) ? this.changes.tables.get(key) : this.base.tables.get(key)
    return entry && !this.isOver(entry) ? entry : undefined
  }

  /** All tables there are. */
  *tables(): Generator<TableEntry> {
    const keys = new Set([...this.base.tables.keys(), ...this.changes.tables.keys()])
    for (const key of keys) {
      const entry = this.changes.tables.has(key) ? this.changes.tables.get(key) : this.base.tables.get(key)
      if (entry && !this.isOver(entry)) yield entry
    }
  }

  /** The tables of a dataset in name order. */
  tablesOf(dataset: string): TableEntry[] {
    const entries = [...this.tables()].filter(entry => entry.dataset === dataset)
    return entries.sort((a, b) => (a.table < b.table ? -1 : 1))
  }

  private isOver({ expirationTime }: TableEntry): boolean {
    return expirationTime !== undefined && expirationTime <= this.now
  }

  segment(id: number): Segment {
    const segment = this.base.segments.get(id)
    if (!segment) throw new Error(`segment ${id} is lost`)
    return segment
  }

  /** Rows of a segment of changes that count. */
  arrived(id: number): number {
    return this.base.arrivals.get(id) ?? 0
  }

  putDataset(entry: Omit<DatasetEntry, 'modified' | 'version'>): void {
    const version = (this.dataset(entry.dataset)?.version ?? 0) + 1
    this.changes.datasets.set(entry.dataset, { ...entry, modified: this.now, version })
  }
  dropDataset(id: string): void {
    this.changes.datasets.set(id, undefined)
    for (const entry of this.tablesOf(id)) this.dropTable(entry)
  }
  /** `created`, when the entry has none, is now. */
  putTable(
    entry: Omit<TableEntry, 'modified' | 'version' | 'created'> & { readonly created?: number },
  ): void {
    const before = this.base.tables.get(keyOf(entry))
    const version = (before?.version ?? 0) + 1
    const created = entry.created ?? this.now
    this.changes.tables.set(keyOf(entry), { ...entry, created, modified: this.now, version })
  }
  dropTable(id: TableId): void {
    this.changes.tables.set(keyOf(id), undefined)
  }
  putJob(job: JobEntry): void {
    this.changes.jobs.set(job.id, job)
  }
}
