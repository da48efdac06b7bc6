/** Updates by field mask: the named fields take the request's values, the others stay. */
import { invalid } from './errors.ts'
import type { Mask } from './wire.ts'

const camel = (path: string) => path.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** Throws for a path that is not `allowed`. A field that the request leaves out is cleared. */
export function applyMask<T extends object>(
  current: T,
  request: Partial<T>,
  mask: Mask | undefined,
  allowed: readonly (keyof T & string)[],
): T {
  const paths = (mask?.paths ?? []).map(path => camel(path.split('.')[0] ?? ''))
  if (paths.length === 0)
    throw invalid('The update_mask in the request must be set, and must contain a non-empty paths list.')
  let next = { ...current }
  for (const path of paths) {
    const field = allowed.find(name => name === path)
    if (!field)
      throw invalid(
        `Invalid update_mask provided in the request: the ${path} field is not mutable or not supported here.`,
      )
    next = { ...next, [field]: request[field] }
  }
  return next
}
