/** What a schedule works with: a feed, and deliveries of snapshots with the files that make them. */
import type { Feed } from '../../functions/feed/feed.ts'
import { parseFeed } from '../../functions/feed/parse-feed.ts'
import { Random } from './random.ts'
import type { Row } from './tables.ts'

export const INBOX = 'sim-inbox'
export const FEED = 'sim'
export type Complete = 'manifest' | 'marker' | 'single-file'

export interface Setting {
  readonly complete: Complete
  readonly missingRows: 'keep' | 'delete'
  readonly sequence: 'column' | 'snapshot'
  readonly duplicateKeys: 'hold' | 'newest'
  readonly strategy: 'rewrite' | 'changed-partitions'
  /** What the days of this schedule hold is drawn from it. */
  readonly salt: number
}

/** One object that a source writes. */
export interface Upload {
  readonly name: string
  readonly text: string
}
export interface Delivery {
  readonly snapshot: string
  readonly uploads: readonly Upload[]
}

export const drawSetting = (random: Random): Setting => ({
  complete: random.pick(['manifest', 'marker', 'single-file']),
  missingRows: random.chance(0.6) ? 'keep' : 'delete',
  sequence: random.chance(0.5) ? 'column' : 'snapshot',
  duplicateKeys: random.chance(0.5) ? 'hold' : 'newest',
  strategy: random.chance(0.6) ? 'rewrite' : 'changed-partitions',
  salt: random.between(1, 1_000_000),
})

export function makeFeed({ complete, missingRows, sequence, duplicateKeys, strategy }: Setting): Feed {
  const path = complete === 'single-file' ? 'sim/{snapshot}.ndjson' : 'sim/{snapshot}/part-*.ndjson'
  const completes = {
    manifest: `{ manifest: "sim/{snapshot}/manifest.json" }`,
    marker: `{ marker: "sim/{snapshot}/_SUCCESS" }`,
    'single-file': 'single-file',
  }[complete]
  const compares = strategy === 'changed-partitions'
  const text = `
name: ${FEED}
source: { path: "${path}", complete: ${completes}, format: ndjson }
table:
  name: serving.sim
  columns: { ${compares ? 'd: DATE, ' : ''}k: INT64, g: STRING, v: INT64, w: STRING${sequence === 'column' ? ', seq: INT64' : ''} }
${compares ? '  partition: { by: d, every: day }' : ''}
model:
  kind: unique
  key: [${compares ? 'd, ' : ''}k, g]
  sequence: ${sequence === 'column' ? 'seq' : '{ from: snapshot, as: seq }'}
  missing_rows: ${missingRows}
refresh: { strategy: ${strategy} }
gates: { duplicate_keys: ${duplicateKeys} }
`
  const parsed = parseFeed(text, 'sim.yaml')
  if (parsed.kind === 'feed') return parsed.feed
  throw new Error(JSON.stringify(parsed.problems))
}

const KINDS = {
  normal: 60,
  empty: 5,
  shrunken: 8,
  duplicates: 9,
  'null key': 5,
  'bad value': 5,
  'emptied column': 5,
  broken: 3,
}
const KEYS = [0, 1, 2, 3, 4, 5].flatMap(k => ['a', 'b'].map(g => ({ k, g })))

const DAYS = 6
const dayOf = (k: number) => `2026-01-0${1 + (k % DAYS)}`

const drawRow = (random: Random, key: { k: number; g: string }): Record<string, unknown> => ({
  ...key,
  v: random.chance(0.15) ? null : random.between(0, 9),
  w: random.chance(0.3) ? null : random.pick(['x', 'y', 'z']),
  seq: random.between(1, 20),
})

/** Days as they were before more often than not: each has a few versions, and one of them at a time. */
function drawDays(random: Random, { salt }: Setting): Record<string, unknown>[] {
  return Array.from({ length: DAYS }, (_, day) => {
    const version = random.weighted({ 0: 16, 1: 2, 2: 1, 3: 1 })
    if (version === '3') return []
    const own = new Random(salt * 10 + day + 1_000 * Number(version))
    const keys = KEYS.filter(({ k }) => k % DAYS === day && own.chance(0.9))
    return keys.map(key => ({ d: dayOf(key.k), ...drawRow(own, key) }))
  }).flat()
}

function drawRows(random: Random, kind: keyof typeof KINDS, setting: Setting): Record<string, unknown>[] {
  const compares = setting.strategy === 'changed-partitions'
  const drawn = compares
    ? drawDays(random, setting)
    : random
        .shuffle(KEYS)
        .slice(0, random.between(5, 12))
        .map(key => drawRow(random, key))
  const count = { empty: 0, shrunken: random.between(1, 2) }[kind as 'empty'] ?? drawn.length
  const rows = drawn.slice(0, count)
  if (kind === 'emptied column') for (const row of rows) row.w = null
  const [first] = rows
  if (!first) return rows
  if (kind === 'duplicates') rows.push({ ...first, v: random.between(0, 9), seq: random.between(1, 20) })
  if (kind === 'null key') rows.push({ ...first, g: null })
  if (kind === 'bad value') rows.push({ ...first, k: 99, v: 'many' })
  return rows
}

/** Draws one delivery; `complete` objects come last, or first now and then. */
export function drawDelivery(random: Random, setting: Setting, snapshot: string): Delivery {
  const kind = random.weighted(KINDS)
  const rows = drawRows(random, kind, setting)
  if (setting.sequence === 'snapshot') for (const row of rows) delete row.seq
  const lines = rows.map(row => `${JSON.stringify(row)}\n`)
  if (kind === 'broken') lines.push('no JSON\n')
  const parts = setting.complete === 'single-file' ? 1 : random.between(1, 3)
  const texts = Array.from({ length: parts }, (_, part) =>
    lines.filter((_, at) => at % parts === part).join(''),
  )
  const files = texts.map((text, part) => ({
    name:
      setting.complete === 'single-file' ? `sim/${snapshot}.ndjson` : `sim/${snapshot}/part-${part}.ndjson`,
    text,
  }))
  if (setting.complete === 'single-file') return { snapshot, uploads: files }
  const completing = completingObject(random, setting, snapshot, files)
  const early = random.chance(0.25)
  const uploads = random.shuffle(files)
  return { snapshot, uploads: early ? [completing, ...uploads] : [...uploads, completing] }
}

function completingObject(
  random: Random,
  { complete }: Setting,
  snapshot: string,
  files: readonly Upload[],
): Upload {
  if (complete === 'marker') return { name: `sim/${snapshot}/_SUCCESS`, text: '' }
  const withRows = random.chance(0.3)
  const listed = files.map(({ name, text }) => ({
    name: name.slice(name.lastIndexOf('/') + 1),
    ...(withRows && { rows: text.split('\n').length - 1 }),
  }))
  return {
    name: `sim/${snapshot}/manifest.json`,
    text: JSON.stringify({ snapshot, files: listed }),
  }
}

/** The rows of files as the table should hold them; `undefined` when a value does not fit its column. */
export function readRows(texts: readonly string[], setting: Setting, snapshot: string): Row[] | undefined {
  const rows = texts
    .flatMap(text => text.split('\n'))
    .filter(line => line !== '')
    .map((line): Row => JSON.parse(line))
  if (rows.some(({ v }) => typeof v === 'string')) return undefined
  return rows.map(row => (setting.sequence === 'snapshot' ? { ...row, seq: Number(snapshot) } : row))
}
