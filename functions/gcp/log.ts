/** Structured logs in the form that Cloud Logging reads. */
import { createGcpLoggingPinoConfig } from '@google-cloud/pino-logging-gcp-config'
import { destination, pino } from 'pino'
import type { Log } from './ports.ts'

/** Lines go to standard output, or to a file, and are written before the call returns. */
export function makeLog(file?: string): Log {
  const lines = destination({ dest: file ?? 1, sync: true, mkdir: true })
  // Its own first line goes where all others go.
  const options = createGcpLoggingPinoConfig({
    serviceContext: { service: 'freshet' },
    pinoDestinationStream: lines,
  })
  return pino(options, lines)
}
