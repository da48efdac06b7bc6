/** A finalized object as Eventarc tells of it: a CloudEvent in HTTP's binary mode. */
import { createHash } from 'node:crypto'

/** Header values carry only printable ASCII; the rest is percent-encoded (CloudEvents HTTP binding §3.1.3.2). */
const encodeHeader = (value: string) =>
  value.toWellFormed().replaceAll(/[^\x21\x23\x24\x26-\x7e]/gu, encodeURIComponent)

/** One event: its id is the same at every attempt, and at every delivery of the same object. */
export function encodeEvent(object: Readonly<Record<string, unknown>>, now: number) {
  const text = (key: string) => String(object[key] ?? '')
  const id = createHash('sha256').update(text('id')).digest('hex').slice(0, 16)
  const headers = {
    'content-type': 'application/json',
    'ce-specversion': '1.0',
    'ce-id': id,
    'ce-type': 'google.cloud.storage.object.v1.finalized',
    'ce-source': `//storage.googleapis.com/projects/_/buckets/${text('bucket')}`,
    'ce-subject': encodeHeader(`objects/${text('name')}`),
    'ce-bucket': text('bucket'),
    'ce-time': text('updated') || new Date(now).toISOString(),
  }
  return { id, headers, body: JSON.stringify(object) }
}
