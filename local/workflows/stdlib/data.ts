/** json.*, base64.*, hash.* and uuid.*: other forms of data. */
import { createHash, createHmac, randomUUID } from 'node:crypto'
import { valueError } from '../errors.ts'
import { decodeJson, encodeJson } from '../json.ts'
import { type Args, type Library, plainFunction } from '../library.ts'

const ALGORITHMS = new Map([
  ['SHA256', 'sha256'],
  ['SHA384', 'sha384'],
  ['SHA512', 'sha512'],
  ['SHA1', 'sha1'],
  ['MD5', 'md5'],
])

function algorithmOf(args: Args): string {
  const name = args.text('algorithm')
  const algorithm = ALGORITHMS.get(name)
  if (algorithm !== undefined) return algorithm
  throw valueError(`hash algorithm ${name} is not one of ${[...ALGORITHMS.keys()].join(', ')}`)
}

function refuseIndent(args: Args): void {
  if (args.any('indent') !== null) throw valueError('json: indent is not served here')
}

const PADDED = /^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
const UNPADDED = /^([A-Za-z0-9+/]{4})*[A-Za-z0-9+/]{0,3}$/

function decodeBase64(text: string, padding: boolean): Uint8Array {
  if (!(padding ? PADDED : UNPADDED).test(text)) throw valueError('base64.decode: not base64')
  return new Uint8Array(Buffer.from(text, 'base64'))
}

export const DATA: Library = new Map([
  [
    'json.decode',
    plainFunction('data', args => decodeJson(new TextDecoder().decode(args.bytesOrText('data')))),
  ],
  [
    'json.encode',
    plainFunction('data indent?', args => {
      refuseIndent(args)
      return new Uint8Array(Buffer.from(encodeJson(args.any('data'))))
    }),
  ],
  [
    'json.encode_to_string',
    plainFunction('data indent?', args => {
      refuseIndent(args)
      return encodeJson(args.any('data'))
    }),
  ],
  [
    'base64.decode',
    plainFunction('data padding?', args =>
      decodeBase64(args.text('data'), args.optional('padding', args.boolean, true)),
    ),
  ],
  [
    'base64.encode',
    plainFunction('data padding?', args => {
      const text = Buffer.from(args.bytes('data')).toString('base64')
      return args.optional('padding', args.boolean, true) ? text : text.replace(/=+$/, '')
    }),
  ],
  [
    'hash.compute_checksum',
    plainFunction(
      'data algorithm',
      args => new Uint8Array(createHash(algorithmOf(args)).update(args.bytes('data')).digest()),
    ),
  ],
  [
    'hash.compute_hmac',
    plainFunction('key data algorithm', args => {
      const hmac = createHmac(algorithmOf(args), args.bytes('key'))
      return new Uint8Array(hmac.update(args.bytes('data')).digest())
    }),
  ],
  ['uuid.generate', plainFunction('', () => randomUUID())],
])
