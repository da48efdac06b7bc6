/** The part of Cloud Logging's query language that the metrics use, to hold them against real lines. */

export type Entry = Readonly<Record<string, unknown>>

export function fieldOf(entry: Entry, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (value, key) => (typeof value === 'object' && value !== null ? (value as Entry)[key] : undefined),
      entry,
    )
}

/** docs.cloud.google.com/logging/docs/view/logging-query-language: comparisons, joined by AND. Refuses all else. */
export function matchesFilter(filter: string, entry: Entry): boolean {
  return filter.split(' AND ').every(comparison => {
    const [, path = '', operator, text, number] =
      /^([\w.]+)(=~|=|>=)(?:"([^"]*)"|([\d.]+))$/.exec(comparison) ?? []
    if (operator === undefined) throw new Error(`not understood: ${comparison}`)
    const value = fieldOf(entry, path)
    if (value === undefined) return false
    if (operator === '=~') return new RegExp(text ?? '').test(String(value))
    return operator === '=' ? String(value) === (text ?? number) : Number(value) >= Number(number)
  })
}

/** The entry that Cloud Logging makes of a line of a function: docs.cloud.google.com/run/docs/logging#write-structured */
export function entriesOf(lines: readonly string[], service: string): readonly Entry[] {
  return lines.filter(line => line.startsWith('{')).map(line => entryOf(line, service))
}

function entryOf(line: string, service: string): Entry {
  const { severity, ...jsonPayload } = JSON.parse(line) as Record<string, unknown>
  return {
    severity,
    jsonPayload,
    resource: { type: 'cloud_run_revision', labels: { service_name: service } },
  }
}
