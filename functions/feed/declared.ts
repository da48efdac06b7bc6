/** What a feed file says of one of its columns. */
import type { FeedFile } from './schema.ts'

/** What both kinds of feeds say of their table. */
export interface WithTable {
  readonly table: Pick<FeedFile['table'], 'columns' | 'partition'>
}

export const typeOf = (file: WithTable, name: string): string | undefined => {
  const column = Object.hasOwn(file.table.columns, name) ? file.table.columns[name] : undefined
  return typeof column === 'object' ? column.type : column
}

export const isOptional = (file: WithTable, name: string): boolean => {
  const column = Object.hasOwn(file.table.columns, name) ? file.table.columns[name] : undefined
  return typeof column === 'object' && column.optional
}
