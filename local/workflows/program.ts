/** The shape of a checked workflow: what the parser makes and the interpreter runs. */
import type { Position } from './errors.ts'
import type { Expression } from './expression.ts'
import type { Value } from './values.ts'

/** A value of the source in which any part may be an expression. */
export type Template =
  | { readonly kind: 'literal'; readonly value: Value }
  | { readonly kind: 'expression'; readonly expression: Expression }
  | { readonly kind: 'list'; readonly items: readonly Template[] }
  | { readonly kind: 'map'; readonly entries: readonly (readonly [string, Template])[] }

/** The left side of an assignment: a variable, or an element somewhere in it. */
export interface Target {
  readonly variable: string
  readonly path: readonly Expression[]
}

export type Jump =
  | { readonly kind: 'end' }
  | { readonly kind: 'break' }
  | { readonly kind: 'continue' }
  | { readonly kind: 'step'; readonly step: string }

export interface Case {
  readonly condition: Template
  readonly action?: Action
  readonly next?: Jump
}

export interface Loop {
  readonly value: string
  readonly index?: string
  readonly over:
    | { readonly kind: 'list'; readonly list: Template }
    | { readonly kind: 'range'; readonly first: Template; readonly last: Template }
  readonly steps: readonly Step[]
}

export interface Branch {
  readonly name: string
  readonly steps: readonly Step[]
}

/** `retry:`. Either a ready-made policy, or its parts. `predicate` is the name of a predicate or subworkflow. */
export type Retry =
  | { readonly kind: 'policy'; readonly policy: string }
  | {
      readonly kind: 'custom'
      readonly predicate: string
      readonly maxRetries: Template
      readonly backoff: Template
    }

export type Action =
  | {
      readonly kind: 'assign'
      readonly assignments: readonly { readonly target: Target; readonly value: Template }[]
    }
  | {
      readonly kind: 'call'
      readonly function: string
      readonly args: ReadonlyMap<string, Template>
      readonly result?: string
    }
  | { readonly kind: 'switch'; readonly cases: readonly Case[] }
  | { readonly kind: 'for'; readonly loop: Loop }
  | {
      readonly kind: 'parallel'
      readonly shared: ReadonlySet<string>
      readonly limit?: Template
      readonly work:
        | { readonly kind: 'branches'; readonly branches: readonly Branch[] }
        | { readonly kind: 'for'; readonly loop: Loop }
    }
  | {
      readonly kind: 'try'
      readonly body: Action
      readonly retry?: Retry
      readonly except?: { readonly as: string; readonly steps: readonly Step[] }
    }
  | { readonly kind: 'raise'; readonly value: Template }
  | { readonly kind: 'return'; readonly value: Template }
  | { readonly kind: 'steps'; readonly steps: readonly Step[] }

export interface Step {
  readonly name: string
  readonly position: Position
  readonly action?: Action
  readonly next?: Jump
}

export interface Parameter {
  readonly name: string
  /** Absent: the caller must give it. */
  readonly fallback?: Value
}

/** `main` or a subworkflow. */
export interface Routine {
  readonly name: string
  readonly parameters: readonly Parameter[]
  readonly steps: readonly Step[]
}

export interface Program {
  readonly routines: ReadonlyMap<string, Routine>
}

/** What the parser must know of a function to check its calls. */
export interface Signature {
  readonly parameters: readonly { readonly name: string; readonly required: boolean }[]
  /** Blocking functions are called by steps only, never inside an expression. */
  readonly blocking: boolean
}
