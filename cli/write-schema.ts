/** `npm run schema`: writes feeds/feed.schema.json and the settings of docs/feeds.md and docs/cdc.md from the schema of feeds. */
import { readFile, writeFile } from 'node:fs/promises'
import { makeFeedJsonSchema, makeSettingsSchemas } from '../functions/feed/json-schema.ts'
import { listSettings, renderSettings, replaceSettings } from './feed-reference.ts'

const schemaFile = new URL('../feeds/feed.schema.json', import.meta.url)
const references = {
  snapshots: new URL('../docs/feeds.md', import.meta.url),
  changes: new URL('../docs/cdc.md', import.meta.url),
} as const

await writeFile(schemaFile, `${JSON.stringify(makeFeedJsonSchema(), null, 2)}\n`)
const schemas = makeSettingsSchemas()
for (const kind of ['snapshots', 'changes'] as const) {
  const table = renderSettings(listSettings(schemas[kind]))
  await writeFile(references[kind], replaceSettings(await readFile(references[kind], 'utf8'), table))
}
