/** OPTIONS(…) of DDL: evaluated, checked, and put on a table or dataset. */
import { DuckDBIntervalValue } from '@duckdb/node-api'
import type { TableEntry } from '../catalogue/entry.ts'
import { checkStaleness, encodeInterval } from '../changes/staleness.ts'
import { invalid, unsupported } from '../errors.ts'
import { type LiteralValue, type Options, translateExpression } from '../sql/index.ts'
import type { Session } from './session.ts'

export type OptionValues = Readonly<Record<string, LiteralValue>>

/** Every option as plain data; a moment becomes milliseconds since 1970. */
export async function readOptions(session: Session, options: Options, text: string): Promise<OptionValues> {
  const values: Record<string, LiteralValue> = {}
  for (const [name, option] of Object.entries(options)) {
    if (option.kind === 'literal') {
      values[name] = option.value
      continue
    }
    const { sql, type } = translateExpression(option.expr, text, session.scope())
    if (type.kind === 'scalar' && type.name === 'INTERVAL') {
      values[name] = await readInterval(session, sql)
      continue
    }
    const moment = type.kind === 'scalar' && type.name === 'TIMESTAMP'
    const shown = moment ? `epoch_ms(${sql})` : `(${sql})::VARCHAR`
    const value = (await session.run.connection.runAndReadAll(`SELECT ${shown}`)).getRows()[0]?.[0]
    values[name] = value === null || value === undefined ? null : moment ? Number(value) : String(value)
  }
  return values
}

/** In canonical form, `0-0 0 0:10:0`. */
async function readInterval({ run }: Session, sql: string): Promise<string | null> {
  const value = (await run.connection.runAndReadAll(`SELECT ${sql}`)).getRows()[0]?.[0]
  if (!(value instanceof DuckDBIntervalValue)) return null
  return encodeInterval(value.months, value.days, value.micros)
}

function text(name: string, value: LiteralValue): string | undefined {
  if (value === null) return undefined
  if (typeof value !== 'string') throw invalid(`Invalid value for option ${name}: expected STRING`, 'query')
  return value
}

function number(name: string, value: LiteralValue): number | undefined {
  if (value === null) return undefined
  const parsed = typeof value === 'string' ? Number(value) : value
  if (typeof parsed !== 'number' || !Number.isFinite(parsed)) {
    throw invalid(`Invalid value for option ${name}: expected a number`, 'query')
  }
  return parsed
}

/** Milliseconds, from a moment that was evaluated or a text. */
function moment(name: string, value: LiteralValue): number | undefined {
  if (value === null || typeof value === 'number') return value ?? undefined
  const ms = typeof value === 'string' ? Date.parse(value.replace(' UTC', 'Z')) : Number.NaN
  if (Number.isNaN(ms)) throw invalid(`Invalid value for option ${name}: expected TIMESTAMP`, 'query')
  return ms
}

export function labelsOf(value: LiteralValue): Record<string, string> {
  const wrong = () =>
    invalid('Invalid value for option labels: expected ARRAY<STRUCT<STRING, STRING>>', 'query')
  if (value === null) return {}
  if (typeof value !== 'object') throw wrong()
  return Object.fromEntries(
    value.map(pair => {
      if (typeof pair !== 'object' || pair === null) throw wrong()
      return [String(pair[0] ?? ''), String(pair[1] ?? '')]
    }),
  )
}

type Described = { -readonly [K in keyof TableEntry]?: TableEntry[K] | undefined }

function applyOption(target: Described, name: string, value: LiteralValue): void {
  switch (name) {
    case 'description':
      target.description = text(name, value)
      return
    case 'friendly_name':
      target.friendlyName = text(name, value)
      return
    case 'labels':
      target.labels = labelsOf(value)
      return
    case 'max_staleness':
      target.maxStaleness = checkStaleness(text(name, value))
      return
    case 'expiration_timestamp':
      target.expirationTime = moment(name, value)
      return
    case 'require_partition_filter':
      target.requirePartitionFilter = value === true
      return
    case 'partition_expiration_days': {
      const { partitioning } = target
      if (partitioning?.kind !== 'time') {
        throw invalid('partition_expiration_days is only allowed for tables partitioned by time', 'query')
      }
      const { expirationMs: _, ...rest } = partitioning
      const days = number(name, value)
      target.partitioning =
        days === undefined ? rest : { ...rest, expirationMs: Math.round(days * 86_400_000) }
      return
    }
    default:
      throw unsupported(`Table option ${name}`)
  }
}

/** The entry with the options set; NULL takes one away. */
export function withOptions<T extends Partial<TableEntry>>(entry: T, values: OptionValues): T {
  const target: Described = { ...entry }
  for (const [name, value] of Object.entries(values)) applyOption(target, name, value)
  const kept = Object.entries(target).filter(([, value]) => value !== undefined)
  // The same entry with fields of the same types set or gone.
  return Object.fromEntries(kept) as T
}
