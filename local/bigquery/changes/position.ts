/** Where a change stands among all changes of its key: its sequence number, then the moment at which it arrived. */

const sequence = /^[0-9a-f]{1,16}(\/[0-9a-f]{1,16}){0,3}$/i

/**
 * `_CHANGE_SEQUENCE_NUMBER` in a form that texts compare as BigQuery compares it: by sections, each as an unsigned number
 * (https://cloud.google.com/bigquery/docs/change-data-capture#_change_sequence_number_format). `undefined` for what is none.
 * Of two numbers of which one continues the other, the longer is the later: BigQuery's documentation leaves that open.
 */
export function parseSequence(text: string): string | undefined {
  if (!sequence.test(text)) return undefined
  return text
    .split('/')
    .map(section => section.padStart(16, '0').toUpperCase())
    .join('')
}

const width = 16

/** A moment of arrival, in microseconds since 1970, as the end of a position. */
export function encodeArrival(micros: number): string {
  return micros.toString(16).padStart(width, '0').toUpperCase()
}

/** `sequence` is '' for a change without. `/` stands before all digits, so that a longer sequence is a later one. */
export function encodePosition(sequence: string, micros: number): string {
  return `${sequence}/${encodeArrival(micros)}`
}

/** The arrival of a position, as DuckDB SQL. */
export function sqlArrival(position: string): string {
  return `right(${position}, ${width})`
}
