/** `npm run schema`: writes feeds/feed.schema.json and the settings of docs/feeds.md from the schema of feeds. */
import { readFile, writeFile } from 'node:fs/promises'
import { makeFeedJsonSchema } from '../functions/feed/json-schema.ts'
import { listSettings, renderSettings, replaceSettings } from './feed-reference.ts'

const schemaFile = new URL('../feeds/feed.schema.json', import.meta.url)
const reference = new URL('../docs/feeds.md', import.meta.url)

const schema = makeFeedJsonSchema()
await writeFile(schemaFile, `${JSON.stringify(schema, null, 2)}\n`)
const table = renderSettings(listSettings(schema))
await writeFile(reference, replaceSettings(await readFile(reference, 'utf8'), table))
