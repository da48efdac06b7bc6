/** What is wrong with a feed file. */

/** A problem at a path of the file, such as `['model', 'key', 0]`. */
export interface Finding {
  readonly path: readonly (string | number)[]
  readonly message: string
  readonly hint: string
}
