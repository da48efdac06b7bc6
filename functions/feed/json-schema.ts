/** The JSON Schema of feed files, by which editors complete and check them. */
import { z } from 'zod'
import { feedSchema } from './schema.ts'

/**
 * Draft 7, as the YAML language server reads it. It knows the form only: that names refer to columns, and that types
 * fit their use, is for `freshet validate` to say.
 */
export function makeFeedJsonSchema(): Readonly<Record<string, unknown>> {
  const { $schema, ...schema } = z.toJSONSchema(feedSchema, { io: 'input', target: 'draft-7' })
  return {
    $schema,
    title: 'A feed of Freshet',
    description: 'docs/feeds.md explains every setting.',
    ...schema,
  }
}
