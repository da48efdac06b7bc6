/** The workflow keeps within what Google Workflows accepts, and names no place and no SQL. */
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readRepoFile } from './source-files.ts'

const ROOT = join(import.meta.dirname, '../..')
const WORKFLOWS = globSync('workflows/*.yaml', { cwd: ROOT })

test('there is a workflow', () => expect(WORKFLOWS).toContain('workflows/refresh.yaml'))

describe.each(WORKFLOWS)('%s', path => {
  const source = readRepoFile(path)

  // https://cloud.google.com/workflows/quotas
  test('is at most 128 KB', () => expect(Buffer.byteLength(source)).toBeLessThanOrEqual(128 * 1024))

  test('has no expression over 400 characters', () => {
    const expressions = [...source.matchAll(/\$\{(.*?)\}(?=["'\s,\]]|$)/gms)].map(match => match[0])
    expect(expressions.filter(expression => expression.length > 400)).toEqual([])
  })

  test('knows no address and no SQL', () => {
    const code = source.replace(/^\s*#.*$/gm, '')
    expect(code).not.toMatch(/localhost|127\.0\.0\.1|https?:\/\//)
    expect(code).not.toMatch(/\b(SELECT|MERGE INTO|CREATE TABLE|QUALIFY)\b/)
  })
})
