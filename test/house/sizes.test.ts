/** The size rules: no file over 250 lines, the median at most 100, no function over 40. */
import ts from 'typescript'
import { expect, test } from 'vitest'
import { readSourceFiles, type SourceFile, walk } from './source-files.ts'

const CODE = ['functions', 'infra', 'local', 'cli', 'bench']
const lines = (file: SourceFile) => file.text.trimEnd().split('\n').length

test('no file is longer than 250 lines', () => {
  const long = readSourceFiles(...CODE, 'test').filter(file => lines(file) > 250)
  expect(long.map(file => `${file.path}: ${lines(file)} lines`)).toEqual([])
})

test('half of the files are at most 100 lines', () => {
  const sorted = readSourceFiles(...CODE)
    .map(lines)
    .toSorted((a, b) => a - b)
  expect(sorted[Math.floor(sorted.length / 2)]).toBeLessThanOrEqual(100)
})

function longFunctions(file: SourceFile): string[] {
  const found: string[] = []
  const lineOf = (at: number) => file.tree.getLineAndCharacterOfPosition(at).line
  walk(file.tree, node => {
    if (!ts.isFunctionLike(node)) return
    const length = lineOf(node.end) - lineOf(node.getStart()) + 1
    if (length > 40) found.push(`${file.path}:${lineOf(node.getStart()) + 1}: ${length} lines`)
  })
  return found
}

test('no function is longer than 40 lines', () => {
  expect(readSourceFiles(...CODE).flatMap(longFunctions)).toEqual([])
})

test('every file opens with a sentence that says what it is for', () => {
  const silent = readSourceFiles(...CODE).filter(file => !/^\/\*\*\s+\S/.test(file.text))
  expect(silent.map(file => file.path)).toEqual([])
})
