/** sys.* and time.*: the environment, the clock, waiting and the log. */
import { keyError, valueError } from '../errors.ts'
import {
  type Args,
  blockingFunction,
  type FunctionContext,
  type Library,
  plainFunction,
  seconds,
} from '../library.ts'
import { LIMITS } from '../limits.ts'
import type { Value } from '../values.ts'

const SEVERITIES = [
  'DEFAULT',
  'DEBUG',
  'INFO',
  'NOTICE',
  'WARNING',
  'ERROR',
  'CRITICAL',
  'ALERT',
  'EMERGENCY',
]

function getEnvironment(args: Args, context: FunctionContext): Value {
  const name = args.text('name')
  const value = context.environment(name)
  if (value !== undefined) return value
  if (args.has('default')) return args.any('default')
  throw keyError(`environment variable not found: ${name}`)
}

function log(args: Args, context: FunctionContext): Value {
  const severity = args.optional('severity', args.text, 'DEFAULT')
  if (!SEVERITIES.includes(severity))
    throw valueError(`sys.log: severity ${severity} is not one of ${SEVERITIES.join(', ')}`)
  const given = ['data', 'text', 'json'].filter(name => args.has(name))
  const [name] = given
  if (name === undefined || given.length > 1) throw valueError('sys.log needs one of data, text and json')
  context.log({ severity, data: name === 'text' ? args.text(name) : args.any(name) })
  return null
}

async function sleep(args: Args, context: FunctionContext): Promise<Value> {
  if (Number(args.number('seconds')) > 0) {
    await context.sleep(seconds(args.any('seconds'), 'sys.sleep: seconds', LIMITS.connectorTimeoutSeconds))
  }
  return null
}

async function sleepUntil(args: Args, context: FunctionContext): Promise<Value> {
  const left = parseTime(args.text('time')) - context.now() / 1000
  if (left > 0) await context.sleep(left)
  return null
}

/** Seconds since 1970 of an RFC 3339 time. */
function parseTime(text: string): number {
  const shape = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/
  const milliseconds = shape.test(text) ? Date.parse(text.toUpperCase()) : Number.NaN
  if (Number.isNaN(milliseconds)) throw valueError(`not an RFC 3339 time: ${text}`)
  const fraction = /\.\d+/.exec(text)?.[0] ?? ''
  // Date keeps milliseconds; the rest of the fraction is added from the text.
  return Math.floor(milliseconds / 1000) + (fraction === '' ? 0 : Number(fraction))
}

/** The offset of a zone at a time, such as `+05:30`, or `Z`. */
function offsetOf(zone: string, milliseconds: number): string {
  try {
    const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' })
    const name = format.formatToParts(milliseconds).find(part => part.type === 'timeZoneName')?.value ?? 'GMT'
    const offset = name.replace('GMT', '')
    return offset === '' || offset === '+00:00' ? 'Z' : offset
  } catch {
    throw valueError(`time.format: unknown time zone ${zone}`)
  }
}

function format(timestamp: number, zone: string): string {
  const milliseconds = Math.floor(timestamp) * 1000
  if (Number.isNaN(new Date(milliseconds).valueOf()))
    throw valueError(`time.format: ${timestamp} is not a time`)
  const offset = offsetOf(zone, milliseconds)
  const [hours, minutes] = offset === 'Z' ? [0, 0] : offset.split(':').map(Number)
  const shift = ((hours ?? 0) * 60 + (offset.startsWith('-') ? -1 : 1) * (minutes ?? 0)) * 60_000
  const micros = Math.floor((timestamp - Math.floor(timestamp)) * 1e6 + 0.5)
  const fraction = micros === 0 ? '' : `.${String(micros).padStart(6, '0').replace(/0+$/, '')}`
  return new Date(milliseconds + shift).toISOString().slice(0, 19) + fraction + offset
}

/** https://cloud.google.com/workflows/docs/reference/stdlib/overview */
export const TIME: Library = new Map([
  ['sys.get_env', plainFunction('name default?', getEnvironment)],
  ['sys.now', plainFunction('', (_, context) => context.now() / 1000)],
  ['sys.log', blockingFunction('data? text? json? severity?', log)],
  ['sys.sleep', blockingFunction('seconds', sleep)],
  ['sys.sleep_until', blockingFunction('time', sleepUntil)],
  [
    'time.format',
    plainFunction('seconds timezone?', args =>
      format(Number(args.number('seconds')), args.optional('timezone', args.text, 'UTC')),
    ),
  ],
  ['time.parse', plainFunction('value', args => parseTime(args.text('value')))],
])
