/** The JSON Schema of feed files, by which editors complete and check them. */
import { z } from 'zod'
import { changeFeedSchema } from './changes/change-schema.ts'
import { feedSchema } from './schema.ts'

type Schema = Readonly<Record<string, unknown>>

const toJson = (schema: z.ZodType): Schema => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input', target: 'draft-7' })
  return rest
}

/** Feeds of snapshots, and feeds of changes: each a form of its own. */
export const makeSettingsSchemas = (): { readonly snapshots: Schema; readonly changes: Schema } => ({
  snapshots: toJson(feedSchema),
  changes: toJson(changeFeedSchema),
})

/**
 * Draft 7, as the YAML language server reads it. It knows the form only: that names refer to columns, and that types
 * fit their use, is for `freshet validate` to say.
 */
export function makeFeedJsonSchema(): Schema {
  const { snapshots, changes } = makeSettingsSchemas()
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'A feed of Freshet',
    description: 'docs/feeds.md and docs/cdc.md explain every setting.',
    anyOf: [snapshots, changes],
  }
}
