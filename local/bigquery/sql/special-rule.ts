/** How a function that needs more than a template is translated. */
import type { Call } from './ast.ts'
import type { Emitted, Env } from './env.ts'

export type SpecialRule = (call: Call, env: Env) => Emitted
