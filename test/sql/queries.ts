/** Queries that must give the same rows on DuckDB as in Google's evaluator: one a line of two text files. */
import { readFileSync } from 'node:fs'

function readLines(name: string): readonly string[] {
  return readFileSync(new URL(name, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
}

/** Expressions over the table `t`. */
export const expressionList = readLines('expressions.txt')
export const queryList = readLines('queries.txt')
