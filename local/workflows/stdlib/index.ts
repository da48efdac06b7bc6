/** The standard library: every function that a workflow may call here. */
import type { Library } from '../library.ts'
import { COLLECTIONS } from './collections.ts'
import { DATA } from './data.ts'
import { EXPRESSIONS } from './expressions.ts'
import { HTTP } from './http.ts'
import { TEXT } from './text.ts'
import { TIME } from './time.ts'

export const STANDARD_LIBRARY: Library = new Map([
  ...EXPRESSIONS,
  ...TIME,
  ...TEXT,
  ...DATA,
  ...COLLECTIONS,
  ...HTTP,
])
