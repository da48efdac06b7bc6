/** The documents hold together: links lead somewhere, the licence is what the manifest says. */
import { existsSync, globSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { readRepoFile } from './source-files.ts'

const ROOT = join(import.meta.dirname, '../..')
const DOCUMENTS = [
  '*.md',
  'docs/**/*.md',
  'local/*.md',
  'workflows/*.md',
  'bench/*.md',
  'feeds/*.md',
].flatMap(pattern => globSync(pattern, { cwd: ROOT }))

test.each(DOCUMENTS)('every relative link of %s leads to a file', document => {
  const links = [...readRepoFile(document).matchAll(/\]\(([^)\s]+)\)/g)].map(match => match[1] ?? '')
  const local = links.filter(link => !/^([a-z]+:|#)/.test(link)).map(link => link.replace(/#.*/, ''))
  expect(local.filter(link => !existsSync(join(ROOT, dirname(document), link)))).toEqual([])
})

test.each(['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'docs/architecture.md', 'docs/dependencies.md'])(
  '%s is there',
  path => expect(existsSync(join(ROOT, path))).toBe(true),
)

test('the licence is Apache-2.0, in full', () => {
  expect(manifest.license).toBe('Apache-2.0')
  const text = readRepoFile('LICENSE')
  expect(text).toMatch(/Apache License\s+Version 2\.0, January 2004/)
  expect(text).toMatch(/END OF TERMS AND CONDITIONS/)
})
