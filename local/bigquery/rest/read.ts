/** Reading a request's JSON: each reader checks one kind of value and names the field that is wrong. */
import { BigQueryError, invalid, unsupported } from '../errors.ts'

export type Json = Readonly<Record<string, unknown>>

function wrong(field: string, value: unknown): BigQueryError {
  return invalid(`Invalid value for ${field}: ${JSON.stringify(value)}`, field)
}

function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function readRecord(from: Json, field: string): Json | undefined {
  const value = from[field]
  if (value === undefined || value === null) return undefined
  if (!isRecord(value)) throw wrong(field, value)
  return value
}

export function readText(from: Json, field: string): string | undefined {
  const value = from[field]
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string') throw wrong(field, value)
  return value
}

/** REST sends 64-bit numbers as texts; both are taken. */
export function readInteger(from: Json, field: string): number | undefined {
  const value = from[field]
  if (value === undefined || value === null || value === '') return undefined
  const number = typeof value === 'string' ? Number(value) : value
  if (typeof number !== 'number' || !Number.isSafeInteger(number)) throw wrong(field, value)
  return number
}

export function readFlag(from: Json, field: string): boolean | undefined {
  const value = from[field]
  if (value === undefined || value === null) return undefined
  if (value === 'true' || value === 'false') return value === 'true'
  if (typeof value !== 'boolean') throw wrong(field, value)
  return value
}

export function readList(from: Json, field: string): readonly unknown[] | undefined {
  const value = from[field]
  if (value === undefined || value === null) return undefined
  if (!Array.isArray(value)) throw wrong(field, value)
  return value
}

export function readTexts(from: Json, field: string): string[] | undefined {
  return readList(from, field)?.map(value => {
    if (typeof value !== 'string') throw wrong(field, value)
    return value
  })
}

export function readRecords(from: Json, field: string): Json[] | undefined {
  return readList(from, field)?.map(value => {
    if (!isRecord(value)) throw wrong(field, value)
    return value
  })
}

export function readLabels(from: Json, field: string): Record<string, string> | undefined {
  const labels = readRecord(from, field)
  if (!labels) return undefined
  return Object.fromEntries(Object.keys(labels).map(key => [key, readText(labels, key) ?? '']))
}

export function readChoice<T extends string>(
  from: Json,
  field: string,
  choices: readonly T[],
): T | undefined {
  const value = readText(from, field)
  if (value === undefined) return undefined
  const choice = choices.find(c => c === value)
  if (!choice) throw invalid(`Invalid value for ${field}: ${value} is not a valid value`, field)
  return choice
}

export function required<T>(value: T | undefined, field: string): T {
  if (value === undefined)
    throw new BigQueryError('required', `Required parameter is missing: ${field}`, field)
  return value
}

/** Fields that are not served are refused, except where they say nothing (`null`, `false`, empty). */
export function refuseOthers(from: Json, served: readonly string[], where: string): void {
  for (const [field, value] of Object.entries(from)) {
    if (served.includes(field) || value === null || value === undefined || value === false || value === '')
      continue
    if (Array.isArray(value) && value.length === 0) continue
    throw unsupported(`Field ${where}.${field}`)
  }
}
