/** The adapter behind the port `Objects` lists one level of a bucket: page by page, and not for ever. */
import { expect, onTestFinished, test } from 'vitest'
import { makeObjects } from '../../functions/gcp/storage.ts'
import { type Answer, startScriptedServer } from '../support/scripted-server.ts'

async function list(pages: readonly object[]) {
  const server = await startScriptedServer(pages.map((json): Answer => ({ json })))
  onTestFinished(() => server.close())
  const objects = makeObjects({ projectId: 'p', apiEndpoint: server.url })
  const found = await objects.listLevel('b', 'x/')
  return { ...found, asked: server.asked.map(({ path }) => new URL(path, server.url).searchParams) }
}
const item = (name: string) => ({ name, bucket: 'b' })

test('names and folders of every page, in order', async () => {
  const { asked, ...found } = await list([
    { items: [item('x/c')], prefixes: ['x/a/'], nextPageToken: 'two' },
    { prefixes: ['x/b/'], nextPageToken: 'three' },
    {},
  ])
  expect(found).toEqual({ names: ['x/a/', 'x/b/', 'x/c'], more: false })
  expect(asked.map(query => [query.get('prefix'), query.get('delimiter'), query.get('pageToken')])).toEqual([
    ['x/', '/', null],
    ['x/', '/', 'two'],
    ['x/', '/', 'three'],
  ])
})

test('ends after ten pages, and says that there is more', async () => {
  const pages = Array.from({ length: 11 }, (_, at) => ({ items: [item(`x/${at}`)], nextPageToken: `${at}` }))
  const { asked, names, more } = await list(pages)
  expect([asked.length, names.length, more]).toEqual([10, 10, true])
})
