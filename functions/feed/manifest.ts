/** Manifests: the list of a snapshot's files that a source delivers last. docs/manifest.md is their reference. */
import { z } from 'zod'

const file = z.looseObject({
  name: z
    .string()
    .min(1)
    .refine(text => !/^\/|^gs:\/\/|(^|\/)\.\.?(\/|$)/.test(text), {
      error: issue =>
        `${issue.input} is no name below the manifest's folder: names are relative, without gs:// and ..`,
    })
    .describe("Relative to the manifest's folder"),
  size: z.int().nonnegative().optional().describe('Bytes'),
  crc32c: z
    .string()
    .regex(/^[A-Za-z0-9+/]{6}==$/, { error: 'is no crc32c as Cloud Storage writes it: base64 of four bytes' })
    .optional(),
  generation: z.union([z.string().regex(/^\d+$/), z.int().positive().transform(String)]).optional(),
  rows: z.int().nonnegative().optional(),
})
const manifest = z.looseObject({
  snapshot: z.union([z.string(), z.int().transform(String)]).optional(),
  files: z.array(file),
})

export type ManifestFile = z.infer<typeof file>
export interface Manifest {
  readonly snapshot?: string | undefined
  readonly files: readonly ManifestFile[]
}
export type ParsedManifest =
  | { readonly kind: 'manifest'; readonly manifest: Manifest }
  | { readonly kind: 'problem'; readonly message: string; readonly hint: string }

const HINT =
  'Write it as {"snapshot": "42", "files": [{"name": "part-0.parquet", "size": 123}]}, as docs/manifest.md says.'

/** Unknown fields are the source's own and are let pass; `text` is the object's content. */
export function parseManifest(text: string): ParsedManifest {
  let value: unknown
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    return {
      kind: 'problem',
      message: `is no JSON: ${error instanceof Error ? error.message : error}`,
      hint: HINT,
    }
  }
  const checked = manifest.safeParse(value)
  if (!checked.success) {
    const [issue] = checked.error.issues
    return {
      kind: 'problem',
      message: `${issue?.path.join('.') || 'the manifest'}: ${issue?.message}`,
      hint: HINT,
    }
  }
  const seen = new Set<string>()
  const twice = checked.data.files.find(({ name }) => seen.size === seen.add(name).size)?.name
  if (twice !== undefined)
    return { kind: 'problem', message: `lists ${twice} twice`, hint: 'List each file once.' }
  return { kind: 'manifest', manifest: checked.data }
}
