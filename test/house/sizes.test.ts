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

/** A function that holds others, as `makeX(deps)` does, is counted without them: each of them counts for itself. */
function ownLines(file: SourceFile, node: ts.Node): number {
  const lineOf = (at: number) => file.tree.getLineAndCharacterOfPosition(at).line
  const span = (part: ts.Node) => lineOf(part.end) - lineOf(part.getStart())
  let held = 0
  const visit = (part: ts.Node): void =>
    part.forEachChild(child => {
      if (ts.isFunctionLike(child)) held += span(child)
      else visit(child)
    })
  visit(node)
  return span(node) + 1 - held
}

function longFunctions(file: SourceFile): string[] {
  const found: string[] = []
  walk(file.tree, node => {
    if (!ts.isFunctionLike(node) || ownLines(file, node) <= 40) return
    const { line } = file.tree.getLineAndCharacterOfPosition(node.getStart())
    found.push(`${file.path}:${line + 1}: ${ownLines(file, node)} lines`)
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
