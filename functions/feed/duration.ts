/** Durations as people write them in a feed: `60 minutes`, `3 days`. */

/** A hundred years: what is added to today must still be a date. */
const LONGEST = 36_500 * 86_400
const UNITS = { second: 1, minute: 60, hour: 3_600, day: 86_400 } as const

/** Seconds, or `undefined` when the text is no duration or one of more than a hundred years. */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d{1,9}) (second|minute|hour|day)s?$/.exec(text)
  if (!match?.[1] || Number(match[1]) === 0) return undefined
  const seconds = Number(match[1]) * UNITS[match[2] as keyof typeof UNITS]
  return seconds <= LONGEST ? seconds : undefined
}
