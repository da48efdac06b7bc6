/** A default stream that loses what a plan says: appends before they are stored, and answers after. */
import { compareSequences } from '../../functions/cdc/sequence.ts'
import type { AppendAnswer, AppendConnection, ChangeStreams } from '../../functions/gcp/change-ports.ts'
import { makeDecoder, type Row } from './change-feed.ts'

export type Fate = 'stored' | 'lost before' | 'lost after' | 'no connection'

interface Kept {
  readonly sequence: string
  readonly row: Row | undefined
}

/** Upserts and deletes by key, as BigQuery keeps them: the newest by sequence counts, of ties the later arrival. */
export class AppendServer implements ChangeStreams {
  readonly kept = new Map<string, Kept>()
  readonly requests: number[] = []
  connections = 0
  readonly #fates: Iterator<Fate>
  readonly #check: (row: Row) => string | undefined

  constructor(fates: Iterable<Fate> = [], check: (row: Row) => string | undefined = () => undefined) {
    this.#fates = fates[Symbol.iterator]()
    this.#check = check
  }

  #fate(): Fate {
    const next = this.#fates.next()
    return next.done ? 'stored' : next.value
  }

  #store(row: Row): void {
    const { _CHANGE_TYPE: type, _CHANGE_SEQUENCE_NUMBER: sequence, ...columns } = row
    const [key, number] = [String(columns.id), String(sequence)]
    const known = this.kept.get(key)
    if (known && compareSequences(number, known.sequence) < 0) return
    this.kept.set(key, { sequence: number, row: type === 'DELETE' ? undefined : columns })
  }

  connect: ChangeStreams['connect'] = async (_table, descriptor): Promise<AppendConnection> => {
    if (this.#fate() === 'no connection') throw new Error('no connection')
    this.connections += 1
    const decode = makeDecoder(descriptor)
    let broken = false
    const append = async (bytes: readonly Buffer[]): Promise<AppendAnswer> => {
      // The bytes are read at once: the sender may write over them once the append is under way.
      const rows = bytes.map(decode)
      await Promise.resolve()
      const fate = broken ? 'lost before' : this.#fate()
      broken ||= fate !== 'stored'
      if (fate === 'lost before' || fate === 'no connection') throw new Error('the connection broke')
      const bad = rows
        .flatMap((row, index) => ({ index, message: this.#check(row) ?? '' }))
        .filter(one => one.message)
      if (bad.length > 0) return { kind: 'bad-rows', rows: bad }
      for (const row of rows) this.#store(row)
      this.requests.push(rows.length)
      if (fate === 'lost after') throw new Error('the answer was lost')
      return { kind: 'stored' }
    }
    return { append, close: () => {} }
  }

  /** The table as a query reads it. */
  rows(): Readonly<Record<string, Row>> {
    return Object.fromEntries(
      [...this.kept].flatMap(([key, { row }]) => (row ? [[key, row]] : [])).toSorted(),
    )
  }
}
