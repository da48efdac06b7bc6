/** What a feed file says of one of its columns. */
import type { FeedFile } from './schema.ts'

export const typeOf = (file: FeedFile, name: string): string | undefined => {
  const column = Object.hasOwn(file.table.columns, name) ? file.table.columns[name] : undefined
  return typeof column === 'object' ? column.type : column
}

export const isOptional = (file: FeedFile, name: string): boolean => {
  const column = Object.hasOwn(file.table.columns, name) ? file.table.columns[name] : undefined
  return typeof column === 'object' && column.optional
}
