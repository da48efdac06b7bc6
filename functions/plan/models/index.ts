/** What each model makes of the rows that share a key. A new kind of model is a file here and a line below. */
import type { Feed, Model } from '../../feed/feed.ts'
import type { Sql } from '../sql.ts'
import { type RowsOf, sqlLeftOver, sqlNewestRows } from './unique.ts'

interface ModelSql {
  /** The rows that stay, taken from all `sources`, in the order of the table's columns. */
  readonly newest: (feed: Feed, sources: readonly RowsOf[]) => Sql
  /** Where it is proven that every row of `newer` beats every one of `older`: what of `older` stays beside it. */
  readonly leftOver: (feed: Feed, newer: RowsOf, older: RowsOf) => Sql
}

export const MODELS: { readonly [Kind in Model['kind']]: ModelSql } = {
  unique: { newest: sqlNewestRows, leftOver: sqlLeftOver },
}
