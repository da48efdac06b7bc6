/** The protocol as Google's client package ships it: services, message types, and the two types of error details. */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import {
  type AnyDefinition,
  loadSync,
  type MessageTypeDefinition,
  type ServiceDefinition,
} from '@grpc/proto-loader'

/** The `protos` folder of a Google package: beside its main file, under `build`. */
function protosOf(main: string): string {
  return join(main.slice(0, main.lastIndexOf('/build/')), 'build', 'protos')
}

// Asked for from the package that depends on it: which copy is at the top of node_modules is npm's affair.
const client = createRequire(import.meta.url).resolve('@google-cloud/pubsub')
const api = createRequire(client).resolve('@google-cloud/pubsub-api')
const gax = createRequire(api).resolve('google-gax')

const definitions = loadSync(
  [
    'google/pubsub/v1/pubsub.proto',
    'google/pubsub/v1/schema.proto',
    'google/rpc/status.proto',
    'google/rpc/error_details.proto',
  ],
  {
    includeDirs: [protosOf(api), protosOf(gax)],
    longs: String,
    enums: String,
    defaults: false,
    oneofs: true,
  },
)

type MessageDefinition = MessageTypeDefinition<object, object>

const isMessage = (found: AnyDefinition | undefined): found is MessageDefinition =>
  !!found && 'serialize' in found
const isService = (found: AnyDefinition | undefined): found is ServiceDefinition =>
  !!found && !('format' in found)

export function messageOf(name: string): MessageDefinition {
  const found = definitions[name]
  if (!isMessage(found)) throw new Error(`${name} is not a message of the protocol.`)
  return found
}

function serviceOf(name: string): ServiceDefinition {
  const found = definitions[name]
  if (!isService(found)) throw new Error(`${name} is not a service of the protocol.`)
  return found
}

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
