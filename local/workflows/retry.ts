/** Retry policies: which errors they try again, how often and after how long. */
import { isList, isMap, mapOf, type Value, type ValueMap } from './values.ts'

/** https://cloud.google.com/workflows/docs/reference/stdlib/retry/default_backoff */
const DEFAULT_BACKOFF = mapOf({ initial_delay: 1n, max_delay: 60n, multiplier: 1.25 })
export const BACKOFFS: ReadonlyMap<string, ValueMap> = new Map([['retry.default_backoff', DEFAULT_BACKOFF]])

const tagsOf = (error: Value): readonly Value[] => {
  const tags = isMap(error) ? error.get('tags') : undefined
  return tags !== undefined && isList(tags) ? tags : []
}

const retryable =
  (codes: readonly bigint[], tags: readonly string[]) =>
  (error: Value): boolean => {
    const code = isMap(error) ? error.get('code') : undefined
    return codes.some(each => each === code) || tagsOf(error).some(tag => tags.some(each => each === tag))
  }

/** For calls that may be repeated. 500 is not among them. */
const idempotent = retryable(
  [429n, 502n, 503n, 504n],
  ['ConnectionError', 'ConnectionFailedError', 'TimeoutError'],
)
/** For calls that may be repeated only when the first never reached its end. */
const nonIdempotent = retryable([429n, 503n], ['ConnectionFailedError'])

/** https://cloud.google.com/workflows/docs/reference/syntax/retrying */
export const PREDICATES: ReadonlyMap<string, (error: Value) => boolean> = new Map([
  ['http.default_retry_predicate', idempotent],
  ['http.default_retry_predicate_non_idempotent', nonIdempotent],
  ['retry.always', () => true],
  ['retry.never', () => false],
])

export interface RetryPolicy {
  readonly predicate: (error: Value) => boolean
  readonly maxRetries: number
  readonly backoff: Backoff
}

/** Seconds. */
export interface Backoff {
  readonly initialDelay: number
  readonly maxDelay: number
  readonly multiplier: number
}

const backoff: Backoff = { initialDelay: 1, maxDelay: 60, multiplier: 1.25 }
export const IDEMPOTENT_POLICY: RetryPolicy = { predicate: idempotent, maxRetries: 5, backoff }
export const NON_IDEMPOTENT_POLICY: RetryPolicy = { predicate: nonIdempotent, maxRetries: 5, backoff }

export const RETRY_POLICIES: ReadonlyMap<string, RetryPolicy> = new Map([
  ['http.default_retry', IDEMPOTENT_POLICY],
  ['http.default_retry_non_idempotent', NON_IDEMPOTENT_POLICY],
])

/** Names that stand for objects of the standard library rather than for variables. */
export const CONSTANTS: ReadonlySet<string> = new Set([
  ...BACKOFFS.keys(),
  ...PREDICATES.keys(),
  ...RETRY_POLICIES.keys(),
])

/** Seconds before the retry of that number, counted from 0. */
export function delayBefore({ initialDelay, maxDelay, multiplier }: Backoff, retry: number): number {
  return Math.min(initialDelay * multiplier ** retry, maxDelay)
}
