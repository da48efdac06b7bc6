/** Protocols as Google's client packages ship them: services and message types out of their `.proto` files. */
import { join } from 'node:path'
import {
  type AnyDefinition,
  loadSync,
  type MessageTypeDefinition,
  type ServiceDefinition,
} from '@grpc/proto-loader'

/** The `protos` folder of a Google package: beside its main file, under `build`. */
export function protosOf(main: string): string {
  return join(main.slice(0, main.lastIndexOf('/build/')), 'build', 'protos')
}

type MessageDefinition = MessageTypeDefinition<object, object>

const isMessage = (found: AnyDefinition | undefined): found is MessageDefinition =>
  !!found && 'serialize' in found
const isService = (found: AnyDefinition | undefined): found is ServiceDefinition =>
  !!found && !('format' in found)

/** Reads `files` out of `folders`. Both look-ups throw for a name that isn't there. */
export function loadProtos(files: string[], folders: string[]) {
  const definitions = loadSync(files, {
    includeDirs: folders,
    longs: String,
    enums: String,
    defaults: false,
    oneofs: true,
  })
  return {
    messageOf(name: string): MessageDefinition {
      const found = definitions[name]
      if (!isMessage(found)) throw new Error(`${name} is not a message of the protocol.`)
      return found
    },
    serviceOf(name: string): ServiceDefinition {
      const found = definitions[name]
      if (!isService(found)) throw new Error(`${name} is not a service of the protocol.`)
      return found
    },
  }
}
