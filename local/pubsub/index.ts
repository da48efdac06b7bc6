/** Pub/Sub over gRPC and REST on one port. */
import { startOnePort } from '../one-port.ts'
import { makeListener } from '../server.ts'
import type { Clock, Service } from '../service.ts'
import { pubSubErrors } from './errors.ts'
import { makeGrpcServer } from './grpc.ts'
import { makeMethods } from './methods.ts'
import { makeRoutes } from './routes.ts'
import { State } from './state.ts'
import { goingAway } from './streaming-pull.ts'

export interface PubSubOptions {
  readonly clock: Clock
  /** The one project that there is. */
  readonly project: string
  readonly port?: number
}

export async function startPubSub({ clock, project, port = 0 }: PubSubOptions): Promise<Service> {
  const state = new State(clock, project)
  const methods = makeMethods(state)
  const listener = makeListener(makeRoutes(methods), pubSubErrors)
  const server = await startOnePort(listener, makeGrpcServer(state, methods), port)
  return {
    url: server.url,
    close: () =>
      server.close(() => {
        for (const subscription of state.subscriptions.values()) state.cutOff(subscription, goingAway())
      }),
  }
}
