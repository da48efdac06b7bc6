/** The methods by their names in the protocol, so that gRPC and REST call the same functions. */

import { services } from './proto.ts'
import { makePublisher } from './publisher.ts'
import type { State } from './state.ts'
import { makeSubscriber } from './subscriber.ts'

/** The request is what the protocol's decoder made; the signal ends when the caller is gone. */
export type Method = (request: object, signal: AbortSignal) => object | Promise<object>

export interface MethodSet {
  readonly definition: (typeof services)[keyof typeof services]
  /** By name with a capital, as `CreateTopic`. */
  readonly methods: ReadonlyMap<string, Method>
}

/** The one place where a decoded request gets its type: the decoder has checked each field against the protocol. */
function methodsOf(implementation: object): Map<string, Method> {
  const functions = Object.entries(implementation).filter(([, value]) => typeof value === 'function')
  return new Map(functions.map(([name, value]) => [name[0]?.toUpperCase() + name.slice(1), value as Method]))
}

export function makeMethods(state: State): readonly MethodSet[] {
  const { createSchema, getSchema, listSchemas, deleteSchema, validateSchema, validateMessage } =
    state.schemas
  const schemas = { createSchema, getSchema, listSchemas, deleteSchema, validateSchema, validateMessage }
  return [
    { definition: services.publisher, methods: methodsOf(makePublisher(state)) },
    { definition: services.subscriber, methods: methodsOf(makeSubscriber(state)) },
    { definition: services.schemaService, methods: methodsOf(schemas) },
  ]
}
