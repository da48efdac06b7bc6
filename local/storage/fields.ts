/** The part of an object's resource that its writer decides, checked once at the edge. */
import { invalid, unsupported } from './errors.ts'

const texts = [
  'contentType',
  'cacheControl',
  'contentDisposition',
  'contentEncoding',
  'contentLanguage',
  'customTime',
] as const
type TextField = (typeof texts)[number]

export type ObjectFields = { readonly [field in TextField]?: string } & {
  readonly metadata?: Readonly<Record<string, string>>
}

/** A change to the fields: `null` takes a field, or a key of the metadata, away. */
export type FieldChange = { readonly [field in TextField]?: string | null } & {
  readonly metadata?: Readonly<Record<string, string | null>> | null
}

// Sent back by clients that read a resource, change it and write it whole; the server decides these.
const decidedHere = new Set(
  `kind id selfLink mediaLink name bucket generation metageneration size etag md5Hash crc32c componentCount
   timeCreated updated timeStorageClassUpdated timeFinalized owner`.split(/\s+/),
)

function parseMetadata(value: unknown): Record<string, string | null> | null {
  if (value === null) return null
  if (typeof value !== 'object' || Array.isArray(value))
    throw invalid('Invalid value for metadata: not a map.')
  const entries = Object.entries(value).map(([key, item]): [string, string | null] => {
    if (item !== null && typeof item !== 'string')
      throw invalid(`Invalid value for metadata.${key}: not a string.`)
    return [key, item]
  })
  return Object.fromEntries(entries)
}

function isText(field: string): field is TextField {
  return texts.some(text => text === field)
}

/** Reads the writable fields of a JSON resource; refuses fields that would change how an object behaves. */
export function parseFieldChange(resource: Readonly<Record<string, unknown>>): FieldChange {
  let change: FieldChange = {}
  for (const [field, value] of Object.entries(resource)) {
    if (field === 'metadata') change = { ...change, metadata: parseMetadata(value) }
    else if (isText(field)) {
      if (value !== null && typeof value !== 'string')
        throw invalid(`Invalid value for ${field}: not a string.`)
      change = { ...change, [field]: value }
    } else if (field === 'storageClass' && value !== 'STANDARD' && value !== null)
      throw unsupported(`the storage class ${String(value)}`)
    else if (!decidedHere.has(field) && field !== 'storageClass' && value !== false && value !== null)
      throw unsupported(`the object field ${field}`)
  }
  return change
}

function withoutNulls(map: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(map).filter(([, value]) => value !== null))
}

/** PATCH semantics: what is named changes, what is null goes, what is absent stays. */
export function applyChange(fields: ObjectFields, change: FieldChange): ObjectFields {
  const metadata = change.metadata && withoutNulls({ ...fields.metadata, ...change.metadata })
  const empty = metadata && Object.keys(metadata).length === 0
  return withoutNulls({ ...fields, ...change, ...(metadata ? { metadata: empty ? null : metadata } : {}) })
}
