/** The reference of feeds is what the schema says: file, document and examples. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { listSettings, renderSettings, replaceSettings } from '../../cli/feed-reference.ts'
import { makeFeedJsonSchema, makeSettingsSchemas } from '../../functions/feed/json-schema.ts'
import { readRepoFile } from '../house/source-files.ts'
import { readFeedText } from '../support/plan-case.ts'

const DOCUMENT = readRepoFile('docs/feeds.md')
const schemas = makeSettingsSchemas()
const settings = listSettings(schemas.snapshots)
const FEEDS = readdirSync(join(import.meta.dirname, '../../feeds')).filter(name => name.endsWith('.yaml'))

test('feeds/feed.schema.json is current: else npm run schema', () => {
  expect(JSON.parse(readRepoFile('feeds/feed.schema.json'))).toEqual(makeFeedJsonSchema())
})

describe.each([
  ['docs/feeds.md', schemas.snapshots],
  ['docs/cdc.md', schemas.changes],
])('the settings of %s', (document, schema) => {
  const text = readRepoFile(document)
  const listed = listSettings(schema)

  test('are current: else npm run schema', () => {
    expect(replaceSettings(text, renderSettings(listed))).toBe(text)
  })

  test.each(listed)('$path is documented', ({ path, takes, description }) => {
    expect(text).toContain(`| \`${path}\` | ${takes}`)
    if (takes !== 'map') expect(description).not.toBe('')
  })
})

test('the list of settings is whole', () => {
  const paths = settings.map(({ path }) => path)
  for (const path of [
    'name',
    'source.complete.marker',
    'table.columns.NAME.type',
    'model.sequence.as',
    'gates.null_keys',
  ])
    expect(paths).toContain(path)
  expect(new Set(paths).size).toBe(paths.length)
})

test('the example is the retail feed, and parses', () => {
  const example = /```yaml\n(.*?)```/s.exec(DOCUMENT)?.[1] ?? ''
  expect(parse(example)).toEqual(parse(readRepoFile('feeds/store-attributes.yaml')))
  expect(readFeedText(example).name).toBe('store-attributes')
})

test.each(FEEDS)('%s names the schema and keeps to it', name => {
  const text = readRepoFile(`feeds/${name}`)
  expect(text.split('\n')[0]).toBe('# yaml-language-server: $schema=./feed.schema.json')
  const schema = z.fromJSONSchema(JSON.parse(readRepoFile('feeds/feed.schema.json')))
  expect(schema.safeParse(parse(text)).error).toBeUndefined()
  expect(schema.safeParse({ ...parse(text), extra: 1 }).success).toBe(false)
})
