/** A resource monitor and an engine of our own: what Pulumi's Node runtime talks to when the CLI runs a program. */
import {
  type handleUnaryCall,
  Server,
  ServerCredentials,
  type ServiceDefinition,
  status,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js'
import { EngineService } from '@pulumi/pulumi/proto/engine_grpc_pb.js'
import type { LogRequest } from '@pulumi/pulumi/proto/engine_pb.js'
import { ResourceMonitorService } from '@pulumi/pulumi/proto/resource_grpc_pb.js'
import type * as Wire from '@pulumi/pulumi/proto/resource_pb.js'
import wire from '@pulumi/pulumi/proto/resource_pb.js'
import empties from 'google-protobuf/google/protobuf/empty_pb.js'
import structs from 'google-protobuf/google/protobuf/struct_pb.js'
import { outputsOf } from './run-program.ts'

export interface Seen {
  readonly type: string
  readonly name: string
  readonly urn: string
  readonly parent: string
  readonly inputs: Readonly<Record<string, unknown>>
  readonly protect: boolean
  readonly retainOnDelete: boolean
  /** URNs of all that has to be there first. */
  readonly dependencies: readonly string[]
}

/** How the runtime marks an output among plain values: github.com/pulumi/pulumi sdk/nodejs/runtime/rpc.ts */
const SIGNATURE = '4dabf18193072939515e22adb298388d'
const OUTPUT = 'd0e6a833031e9bbcd3f4e8bde6ca49a4'

function plainOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plainOf)
  if (typeof value !== 'object' || value === null) return value
  if (SIGNATURE in value && value[SIGNATURE] === OUTPUT)
    return 'value' in value ? plainOf(value.value) : undefined
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plainOf(inner)]))
}
const recordOf = (struct: structs.Struct | undefined) =>
  plainOf(struct?.toJavaScript() ?? {}) as Record<string, unknown>
const structOf = (value: object) => structs.Struct.fromJavaScript(JSON.parse(JSON.stringify(value)))

/** Answers a call with what `answer` makes, or with its error. */
function unary<Request, Reply>(answer: (request: Request) => Reply): handleUnaryCall<Request, Reply> {
  return ({ request }, callback) => {
    try {
      callback(null, answer(request))
    } catch (error) {
      callback({ code: status.INVALID_ARGUMENT, details: String(error) })
    }
  }
}
const nothing = () => unary(() => new empties.Empty())

function register(seen: Seen[], request: Wire.RegisterResourceRequest): Wire.RegisterResourceResponse {
  const [type, name, inputs] = [request.getType(), request.getName(), recordOf(request.getObject())]
  const urn = `urn:pulumi:prod::freshet::${type}::${name}`
  if (seen.some(one => one.urn === urn)) throw new Error(`${urn} is registered twice`)
  const ofProperties: string[] = []
  request.getPropertydependenciesMap().forEach(property => void ofProperties.push(...property.getUrnsList()))
  const dependencies = [...request.getDependenciesList(), ...ofProperties]
  seen.push({
    type,
    name,
    urn,
    parent: request.getParent(),
    inputs,
    protect: request.getProtect() ?? false,
    retainOnDelete: request.getRetainondelete() ?? false,
    dependencies: [...new Set(dependencies)].toSorted(),
  })
  return new wire.RegisterResourceResponse()
    .setUrn(urn)
    .setId(request.getCustom() ? `${name}-id` : '')
    .setObject(structOf(outputsOf(type, name, inputs)))
}

function read(request: Wire.ReadResourceRequest): Wire.ReadResourceResponse {
  const [type, name] = [request.getType(), request.getName()]
  return new wire.ReadResourceResponse()
    .setUrn(`urn:pulumi:prod::freshet::${type}::${name}`)
    .setProperties(structOf(outputsOf(type, name, recordOf(request.getProperties()))))
}

function monitor(seen: Seen[], outputs: Record<string, unknown>): UntypedServiceImplementation {
  return {
    supportsFeature: unary((request: Wire.SupportsFeatureRequest) =>
      new wire.SupportsFeatureResponse().setHassupport(
        ['secrets', 'resourceReferences', 'outputValues', 'deletedWith'].includes(request.getId()),
      ),
    ),
    invoke: unary((request: Wire.ResourceInvokeRequest) =>
      new wire.ResourceInvokeResponse().setReturn(
        structOf({ member: `serviceAccount:${request.getTok().split('/').at(-1)}@google` }),
      ),
    ),
    readResource: unary(read),
    registerResource: unary((request: Wire.RegisterResourceRequest) => register(seen, request)),
    registerResourceOutputs: unary((request: Wire.RegisterResourceOutputsRequest) => {
      if (request.getUrn().includes('pulumi:pulumi:Stack'))
        Object.assign(outputs, recordOf(request.getOutputs()))
      return new empties.Empty()
    }),
    signalAndWaitForShutdown: nothing(),
  }
}

async function listen(service: ServiceDefinition, implementation: UntypedServiceImplementation) {
  const server = new Server()
  server.addService(service, implementation)
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  )
  return { address: `127.0.0.1:${port}`, close: () => server.forceShutdown() }
}

export interface Monitor {
  readonly monitor: string
  readonly engine: string
  readonly seen: readonly Seen[]
  readonly outputs: Readonly<Record<string, unknown>>
  /** What the program said, warnings and errors among it. */
  readonly said: readonly string[]
  close(): void
}

export async function startMonitor(): Promise<Monitor> {
  const seen: Seen[] = []
  const outputs: Record<string, unknown> = {}
  const said: string[] = []
  const monitored = await listen(ResourceMonitorService, monitor(seen, outputs))
  const engine = await listen(EngineService, {
    log: unary((request: LogRequest) => {
      if (request.getSeverity() > 0) said.push(request.getMessage())
      return new empties.Empty()
    }),
  })
  const close = () => {
    for (const server of [monitored, engine]) server.close()
  }
  return { monitor: monitored.address, engine: engine.address, seen, outputs, said, close }
}
