/** What a schedule works with: a feed, and deliveries of snapshots with the files that make them. */
import type { Feed } from '../../functions/feed/feed.ts'
import { parseFeed } from '../../functions/feed/parse-feed.ts'
import type { Random } from './random.ts'
import type { Row } from './tables.ts'

export const INBOX = 'sim-inbox'
export const FEED = 'sim'
export type Complete = 'manifest' | 'marker' | 'single-file'

export interface Setting {
  readonly complete: Complete
  readonly missingRows: 'keep' | 'delete'
  readonly sequence: 'column' | 'snapshot'
  readonly duplicateKeys: 'hold' | 'newest'
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
})

export function makeFeed({ complete, missingRows, sequence, duplicateKeys }: Setting): Feed {
  const path = complete === 'single-file' ? 'sim/{snapshot}.ndjson' : 'sim/{snapshot}/part-*.ndjson'
  const completes = {
    manifest: `{ manifest: "sim/{snapshot}/manifest.json" }`,
    marker: `{ marker: "sim/{snapshot}/_SUCCESS" }`,
    'single-file': 'single-file',
  }[complete]
  const text = `
name: ${FEED}
source: { path: "${path}", complete: ${completes}, format: ndjson }
table:
  name: serving.sim
  columns: { k: INT64, g: STRING, v: INT64, w: STRING${sequence === 'column' ? ', seq: INT64' : ''} }
model:
  kind: unique
  key: [k, g]
  sequence: ${sequence === 'column' ? 'seq' : '{ from: snapshot, as: seq }'}
  missing_rows: ${missingRows}
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

function drawRows(random: Random, kind: keyof typeof KINDS): Record<string, unknown>[] {
  const count = { empty: 0, shrunken: random.between(1, 2) }[kind as 'empty'] ?? random.between(5, 12)
  const rows: Record<string, unknown>[] = random
    .shuffle(KEYS)
    .slice(0, count)
    .map(key => ({
      ...key,
      v: random.chance(0.15) ? null : random.between(0, 9),
      w: kind === 'emptied column' || random.chance(0.3) ? null : random.pick(['x', 'y', 'z']),
      seq: random.between(1, 20),
    }))
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
  const rows = drawRows(random, kind)
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
