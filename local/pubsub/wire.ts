/** The messages of google/pubsub/v1 as they arrive: absent scalars are undefined, 64-bit numbers and enums are text. */

export interface Seconds {
  readonly seconds?: string | number
  readonly nanos?: number
}

/** What a publisher may set of a message. */
export interface IncomingMessage {
  readonly data?: Uint8Array
  readonly attributes?: Readonly<Record<string, string>>
  readonly orderingKey?: string
}

export interface Message extends IncomingMessage {
  readonly messageId: string
  readonly publishTime: Seconds
}

export interface SchemaSettings {
  readonly schema?: string
  readonly encoding?: string
}

export interface Topic {
  readonly name?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly messageRetentionDuration?: Seconds
  readonly schemaSettings?: SchemaSettings
  readonly state?: string
}

export interface DeadLetterPolicy {
  readonly deadLetterTopic?: string
  readonly maxDeliveryAttempts?: number
}

export interface RetryPolicy {
  readonly minimumBackoff?: Seconds
  readonly maximumBackoff?: Seconds
}

export interface Subscription {
  readonly name?: string
  readonly topic?: string
  readonly ackDeadlineSeconds?: number
  readonly retainAckedMessages?: boolean
  readonly messageRetentionDuration?: Seconds
  readonly labels?: Readonly<Record<string, string>>
  readonly enableMessageOrdering?: boolean
  readonly expirationPolicy?: { readonly ttl?: Seconds }
  readonly filter?: string
  readonly deadLetterPolicy?: DeadLetterPolicy
  readonly retryPolicy?: RetryPolicy
  readonly enableExactlyOnceDelivery?: boolean
  readonly detached?: boolean
  readonly state?: string
  readonly pushConfig?: { readonly pushEndpoint?: string }
}

export interface Schema {
  readonly name?: string
  readonly type?: string
  readonly definition?: string
  readonly revisionId?: string
  readonly revisionCreateTime?: Seconds
}

export interface Page {
  readonly pageSize?: number
  readonly pageToken?: string
}

export interface Mask {
  readonly paths?: readonly string[]
}

export const toMillis = (time: Seconds | undefined): number =>
  Number(time?.seconds ?? 0) * 1000 + (time?.nanos ?? 0) / 1e6

export function encodeTime(millis: number): Seconds {
  const seconds = Math.floor(millis / 1000)
  return { seconds: String(seconds), nanos: Math.round((millis - seconds * 1000) * 1e6) }
}

/** One page of named things, in name order; the token is the last name of the page before. */
export function pageOf<T extends { readonly name?: string }>(all: Iterable<T>, page: Page) {
  const after = Buffer.from(page.pageToken ?? '', 'base64url').toString()
  const sorted = [...all]
    .map(item => ({ name: item.name ?? '', item }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const rest = sorted.filter(entry => entry.name > after)
  const size = page.pageSize && page.pageSize > 0 ? Math.min(page.pageSize, 1000) : 100
  const last = rest.length > size ? rest[size - 1]?.name : undefined
  return {
    items: rest.slice(0, size).map(entry => entry.item),
    ...(last === undefined ? {} : { nextPageToken: Buffer.from(last).toString('base64url') }),
  }
}
