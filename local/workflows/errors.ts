/** The errors of Workflows: what a running workflow can catch, and what a bad source is told at deployment. */
import { mapOf, type Value } from './values.ts'

/** Where in the source something is; lines and columns count from 1. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** One line of the stack trace of an execution, innermost first. */
export interface StackElement {
  readonly step: string
  readonly routine: string
  readonly position: Position
}

/** https://cloud.google.com/workflows/docs/reference/syntax/error-types#error-tags */
export type ErrorTag =
  | 'AuthError'
  | 'ConnectionError'
  | 'ConnectionFailedError'
  | 'HttpError'
  | 'IndexError'
  | 'KeyError'
  | 'OperationError'
  | 'ParallelNestingError'
  | 'RecursionError'
  | 'ResourceLimitError'
  | 'ResponseTypeError'
  | 'SystemError'
  | 'TimeoutError'
  | 'TypeError'
  | 'UnhandledBranchError'
  | 'ValueError'
  | 'ZeroDivisionError'

/** Raised in a running workflow. `payload` is what `except: as` sees: an error map, or whatever `raise` was given. */
export class WorkflowError extends Error {
  readonly payload: Value
  readonly trace: StackElement[] = []
  #located: object | undefined

  constructor(message: string, payload: Value) {
    super(message)
    this.payload = payload
  }

  /** Notes the step that it passes through; only the innermost step of each routine call counts. */
  locate(call: object, element: StackElement): void {
    if (this.#located === call) return
    this.#located = call
    this.trace.push(element)
  }

  /** As `execution.error.context` has it: the message and where it came from, innermost first. */
  get context(): string {
    const lines = this.trace.map(
      ({ step, routine, position }) => `in step "${step}", routine "${routine}", line: ${position.line}`,
    )
    return [this.message, ...lines].join('\n')
  }
}

/** An error map with one tag, a message and further fields. */
export function taggedError(
  tag: ErrorTag,
  message: string,
  fields: Record<string, Value> = {},
): WorkflowError {
  return new WorkflowError(message, mapOf({ message, tags: [tag], ...fields }))
}

const prefixed = (tag: ErrorTag) => (message: string) => taggedError(tag, `${tag}: ${message}`)
export const typeError = prefixed('TypeError')
export const valueError = prefixed('ValueError')
export const keyError = prefixed('KeyError')
export const indexError = prefixed('IndexError')
export const zeroDivisionError = prefixed('ZeroDivisionError')
export const resourceLimitError = prefixed('ResourceLimitError')
export const recursionError = prefixed('RecursionError')
export const timeoutError = prefixed('TimeoutError')
export const systemError = prefixed('SystemError')

/** Ends an execution that was cancelled; no `except` sees it. */
export class Cancelled extends Error {}

/** A source that cannot be deployed: all its problems, each with its place. */
export class InvalidSource extends Error {
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}
