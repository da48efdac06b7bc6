/** One step of a way to refresh a table, as figures: what it reads, writes, occupies and counts against. */

export const GIB = 2 ** 30
export const TIB = 2 ** 40

/** Landing is a new table for each snapshot, so its limits are those of one run. */
export type TableName = 'landing' | 'staging' | 'target'

export interface Touch {
  readonly table: TableName
  /** Load, copy and query jobs that write the table; DML and streaming do not count. */
  readonly operations: number
  readonly partitions: number
}

export interface Step {
  readonly stage: string
  readonly what: string
  /** Bytes that queries read: what is paid on demand. */
  readonly scannedBytes: number
  readonly writtenBytes: number
  /** Bytes through the Storage Write API. */
  readonly streamedBytes: number
  readonly slotMs: number
  /** Whose slots: none for what BigQuery does by metadata. */
  readonly job: 'query' | 'load' | 'background' | 'none'
  readonly touches: readonly Touch[]
}

export function makeStep(given: Pick<Step, 'stage' | 'what'> & Partial<Step>): Step {
  return { scannedBytes: 0, writtenBytes: 0, streamedBytes: 0, slotMs: 0, job: 'none', touches: [], ...given }
}

type Figure = 'scannedBytes' | 'writtenBytes' | 'streamedBytes' | 'slotMs'
export const sumOf = (steps: readonly Step[], figure: Figure): number =>
  steps.reduce((sum, step) => sum + step[figure], 0)
