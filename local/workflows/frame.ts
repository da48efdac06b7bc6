/** What running steps pass along: the frame of a routine call, and where control goes next. */
import type { Jump } from './program.ts'
import type { Scope } from './scope.ts'
import type { Value } from './values.ts'

/** Where control goes after some steps. */
export type Outcome = { readonly kind: 'next' } | { readonly kind: 'return'; readonly value: Value } | Jump

export const NEXT: Outcome = { kind: 'next' }

/** One call of a routine: what its steps run in. */
export interface Frame {
  readonly routine: string
  readonly scope: Scope
  readonly depth: number
  readonly parallelDepth: number
  /** The same for all blocks of one call, so that a stack trace has one line for it. */
  readonly id: object
}
