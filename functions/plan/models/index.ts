/** What each model makes of the rows that share a key. A new kind of model is a file here and a line below. */
import type { Feed, Model } from '../../feed/feed.ts'
import type { TableRef } from '../../feed/names.ts'
import type { Sql } from '../sql.ts'
import { sqlNewestRows } from './unique.ts'

/** The rows that stay, taken from `from`, in the order of the table's columns. */
export const MODELS: { readonly [Kind in Model['kind']]: (feed: Feed, from: TableRef) => Sql } = {
  unique: sqlNewestRows,
}
