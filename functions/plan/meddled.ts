/** Whether staging still holds as many rows as the last refresh published: nothing but Freshet may write it. */
import type { Feed } from '../feed/feed.ts'

const count = (rows: number) => `${rows.toLocaleString('en-US')} row${rows === 1 ? '' : 's'}`

/**
 * Why staging is not what was published, as one sentence without its full stop. Rows that expire go by themselves, so
 * that a table whose partitions expire may shrink by as much as a snapshot may. `published` is unknown before the
 * first refresh. Where every run writes staging anew from the snapshot alone, what it held does not count.
 */
export function describeMeddling(
  { model, refresh, table, gates }: Feed,
  rows: number,
  published: number | undefined,
): string | undefined {
  const anew = model.missingRows === 'delete' && refresh.strategy === 'rewrite'
  if (published === undefined || anew) return undefined
  const expires = table.partition?.keepDays !== undefined
  const least = expires ? Math.ceil(published * gates.minRowsVsLast) : published
  if (rows >= least && rows <= published) return undefined
  return `staging has ${count(rows)}, and the last refresh left ${count(published)} there`
}
