/** Names with a grammar: each is a branded string that one checking function makes. */

declare const brand: unique symbol
type Branded<Name extends string> = string & { readonly [brand]: Name }

/** Lower-case words joined by single dashes, at most 40 characters: it becomes part of ids, tables and labels. */
export type FeedName = Branded<'FeedName'>
/** A column name, unquoted. */
export type Identifier = Branded<'Identifier'>
/** The short hash that names a run. */
export type RunId = Branded<'RunId'>

export function parseFeedName(text: string): FeedName | undefined {
  return text.length <= 40 && /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(text) ? (text as FeedName) : undefined
}

/** docs.cloud.google.com/bigquery/docs/schemas#column_names, flexible column names included. */
const FORBIDDEN = /[!"$()*,./;?@[\\\]^`{}~\p{Cc}\p{Cs}]/u
const RESERVED =
  /^(_TABLE_|_FILE_|_PARTITION|_ROW_TIMESTAMP|__ROOT__|_COLIDENTIFIER|_CHANGE_SEQUENCE_NUMBER|_CHANGE_TYPE|_CHANGE_TIMESTAMP)/i

export function parseIdentifier(text: string): Identifier | undefined {
  const fits = text.length > 0 && text.length <= 300 && text.trim() === text
  return fits && !FORBIDDEN.test(text) && !RESERVED.test(text) ? (text as Identifier) : undefined
}

export function parseRunId(text: string): RunId | undefined {
  return /^[0-9a-f]{16}$/.test(text) ? (text as RunId) : undefined
}

/** A table of BigQuery, in its three parts. */
export interface TableRef {
  readonly projectId: string
  readonly datasetId: string
  readonly tableId: string
}

/** `project.dataset.table` */
export const showTable = ({ projectId, datasetId, tableId }: TableRef): string =>
  `${projectId}.${datasetId}.${tableId}`

/** What `showTable` wrote; a project of a domain has points of its own, as in `example.com:shop`. */
export function parseTable(text: string): TableRef | undefined {
  const [, projectId, datasetId, tableId] = /^(.+)\.([^.]+)\.([^.]+)$/.exec(text) ?? []
  return projectId && datasetId && tableId ? { projectId, datasetId, tableId } : undefined
}

/** docs.cloud.google.com/bigquery/docs/datasets#dataset-naming and docs/tables#table_naming, ASCII only. */
export function parseServedTable(text: string): { datasetId: string; tableId: string } | undefined {
  const match = /^([A-Za-z0-9_]{1,1024})\.([A-Za-z0-9_-]{1,1024})$/.exec(text)
  return match?.[1] && match[2] ? { datasetId: match[1], tableId: match[2] } : undefined
}
