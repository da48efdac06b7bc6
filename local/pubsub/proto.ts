/** Pub/Sub's protocol: services, message types, and the two types of error details. */
import { createRequire } from 'node:module'
import { loadProtos, protosOf } from '../protos.ts'

// Asked for from the package that depends on it: which copy is at the top of node_modules is npm's affair.
const client = createRequire(import.meta.url).resolve('@google-cloud/pubsub')
const api = createRequire(client).resolve('@google-cloud/pubsub-api')
const gax = createRequire(api).resolve('google-gax')

const { messageOf, serviceOf } = loadProtos(
  [
    'google/pubsub/v1/pubsub.proto',
    'google/pubsub/v1/schema.proto',
    'google/rpc/status.proto',
    'google/rpc/error_details.proto',
  ],
  [protosOf(api), protosOf(gax)],
)

export { messageOf }

export const services = {
  publisher: serviceOf('google.pubsub.v1.Publisher'),
  subscriber: serviceOf('google.pubsub.v1.Subscriber'),
  schemaService: serviceOf('google.pubsub.v1.SchemaService'),
}

/** Why each ack id failed, as a `google.rpc.Status` with one `ErrorInfo`: where exactly-once clients look for it. */
export function encodeAckErrors(reasons: Readonly<Record<string, string>>): Buffer {
  const info = { domain: 'pubsub.googleapis.com', reason: 'ACK_ERRORS', metadata: reasons }
  const value = messageOf('google.rpc.ErrorInfo').serialize(info)
  const details = [{ type_url: 'type.googleapis.com/google.rpc.ErrorInfo', value }]
  return messageOf('google.rpc.Status').serialize({
    code: 9,
    message: 'Some acknowledgements failed.',
    details,
  })
}
