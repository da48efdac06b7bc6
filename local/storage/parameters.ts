/** Query parameters that mean something at Google and nothing here are refused: ignoring one would be an invented answer. */
import { unsupported } from './errors.ts'

// From the reference pages of the methods that are served (https://cloud.google.com/storage/docs/json_api/v1). Others
// are ignored as Google ignores them; `fields` asks for less, and a client must bear more than it asked for;
// `versions` asks for older generations too, and a bucket without versioning has none.
const refused =
  `matchGlob filter softDeleted restoreToken copySourceAcl predefinedAcl predefinedDefaultObjectAcl
  destinationPredefinedAcl kmsKeyName destinationKmsKeyName enableObjectRetention overrideUnlockedRetention
  returnPartialSuccess dropContextGroups`.split(/\s+/)

/** Throws for a parameter that asks for something that is not served. */
export function checkParameters(query: URLSearchParams): void {
  const name = refused.find(name => query.has(name) && query.get(name)?.toLowerCase() !== 'false')
  if (name) throw unsupported(`the parameter ${name}`)
}

/** The address under which the caller reached this server. */
export function baseUrl(host: string | undefined): string {
  return `http://${host ?? 'localhost'}`
}
