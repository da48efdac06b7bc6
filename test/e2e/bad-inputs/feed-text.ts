/** Feed files for bad inputs: a small shop whose snapshots are folders under the feed's name. */

export interface FeedParts {
  readonly name: string
  readonly format: 'csv' | 'ndjson' | 'parquet'
  readonly columns: Readonly<Record<string, string>>
  readonly key?: readonly string[]
  /** Lines under `source:`, `table:`, `model:` and so on, each with its own indentation. */
  readonly source?: string
  readonly table?: string
  readonly model?: string
  readonly gates?: string
  readonly complete?: string
}

const quoted = (name: string) => JSON.stringify(name)

/** Keyed by `id` unless said otherwise; complete with a manifest. */
export function writeFeed(parts: FeedParts): string {
  const { name, format, columns, key = ['id'] } = parts
  const complete = parts.complete ?? `{ manifest: "${name}/{snapshot}/manifest.json" }`
  return `name: ${name}
source:
  path: "${name}/{snapshot}/**/*.${format}*"
  complete: ${complete}
  format: ${format}
${parts.source ?? ''}
table:
  name: shop.${name.replaceAll('-', '_')}
  columns:
${Object.entries(columns)
  .map(([column, type]) => `    ${quoted(column)}: ${type}`)
  .join('\n')}
${parts.table ?? ''}
model:
  kind: unique
  key: [${key.map(quoted).join(', ')}]
  sequence: { from: snapshot, as: snapshot_id }
${parts.model ?? ''}
gates: { ${parts.gates ?? ''} }
`
}

/** Rows as newline-delimited JSON. */
export const lines = (...rows: readonly unknown[]): string =>
  rows.map(row => `${typeof row === 'string' ? row : JSON.stringify(row)}\n`).join('')
