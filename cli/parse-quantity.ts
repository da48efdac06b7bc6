/** Numbers as people write them on a command line: `15TB`, `39 million`, `0.1%`. */
import { misuse } from './exit.ts'

const BYTES: Readonly<Record<string, number>> = {
  '': 1,
  B: 1,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
  PB: 1e15,
  KIB: 2 ** 10,
  MIB: 2 ** 20,
  GIB: 2 ** 30,
  TIB: 2 ** 40,
  PIB: 2 ** 50,
}
const COUNTS: Readonly<Record<string, number>> = {
  '': 1,
  K: 1e3,
  M: 1e6,
  THOUSAND: 1e3,
  MILLION: 1e6,
  BILLION: 1e9,
  BN: 1e9,
}

const digitsOf = (text: string) => Number(text.replaceAll(/[,_]/g, ''))

function parseWithUnit(text: string, units: Readonly<Record<string, number>>): number | undefined {
  const match = /^(\d[\d,_]*(?:\.\d+)?) ?([a-z]*)$/i.exec(text.trim())
  const unit = units[(match?.[2] ?? '').toUpperCase()]
  const value = match?.[1] !== undefined && unit !== undefined ? digitsOf(match[1]) * unit : 0
  return Number.isFinite(value) && value > 0 ? value : undefined
}

export function parseBytes(text: string): number {
  const bytes = parseWithUnit(text, BYTES)
  if (bytes === undefined) throw misuse(`${text} is no size`, 'Write it as 15TB, 13.6TiB or 500GB.')
  return bytes
}

export function parseCount(text: string): number {
  const count = parseWithUnit(text, COUNTS)
  if (count === undefined) throw misuse(`${text} is no number`, 'Write it as 6, 170,114 or 39M.')
  return count
}

/** A share as a percentage or a fraction: `0.1%` and `0.001` are the same. */
export function parseShare(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(%?)$/.exec(text.trim())
  const share = Number(match?.[1] ?? Number.NaN) / (match?.[2] === '%' ? 100 : 1)
  if (!(share >= 0 && share <= 1)) throw misuse(`${text} is no share`, 'Write it as 0.1%, or 0.001.')
  return share
}

/** Whole, and 0 is one too. */
export function parseWhole(text: string): number {
  if (!/^\d[\d,_]*$/.test(text.trim()))
    throw misuse(`${text} is no whole number`, 'Write it as 0, 14 or 731.')
  return digitsOf(text)
}
