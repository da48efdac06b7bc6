/** What is wrong with a feed file. */

/** A problem at a path of the file, such as `['model', 'key', 0]`. */
export interface Finding {
  readonly path: readonly (string | number)[]
  readonly message: string
  readonly hint: string
}

/** At a place where a column of the table has to be named. */
export const noColumn = (path: Finding['path'], name: string): Finding => ({
  path,
  message: `names no column of the table: ${name}`,
  hint: 'Add it to table.columns, or correct the name.',
})
