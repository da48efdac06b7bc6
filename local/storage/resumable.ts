/** Resumable uploads: bytes that arrived stay, whatever happens to the connection that brought them. */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Call } from '../server.ts'
import { parseContentRange, type UploadRange } from './content-range.ts'
import { invalid, StorageError } from './errors.ts'
import { parseFieldChange } from './fields.ts'
import { finishUpload, type UploadTarget } from './finish-upload.ts'
import { type Incoming, openIncoming } from './incoming.ts'
import { baseUrl } from './parameters.ts'
import { checkWrite } from './preconditions.ts'
import type { State, StoredObject } from './state.ts'
import { encodeObject } from './wire.ts'

interface Session {
  readonly target: UploadTarget
  readonly incoming: Incoming
  /** Requests of one session take turns. */
  turn: Promise<unknown>
  /** The one whose turn it is. */
  current?: IncomingMessage
  object?: StoredObject
}

/** How many finished sessions still answer a repeated last request. */
const remembered = 1000

/** Appends the body at its offset; false when it broke off. A body that breaks off is not an error: what came counts, the client asks and resumes. */
async function append(incoming: Incoming, call: Call, from: number): Promise<boolean> {
  if (from > incoming.size)
    throw invalid(
      `The upload offset is ${from} byte(s), which exceeds the ${incoming.size} byte(s) uploaded so far.`,
    )
  let skip = incoming.size - from
  try {
    for await (const chunk of call.request) {
      const fresh = chunk.subarray(Math.min(skip, chunk.length))
      skip -= chunk.length - fresh.length
      if (fresh.length > 0) await incoming.write(fresh)
    }
    return true
  } catch (error) {
    if (call.request.destroyed && !call.request.complete) return false
    throw error
  }
}

function isLast(range: UploadRange, incoming: Incoming): boolean {
  if (range.total !== undefined && incoming.size > range.total)
    throw invalid(
      `The upload holds ${incoming.size} byte(s), more than the ${range.total} that were announced.`,
    )
  if (range.total !== undefined) return incoming.size === range.total
  return range.kind === 'bytes' && range.open
}

function sendProgress(call: Call, size: number): void {
  const range = size > 0 ? { range: `bytes=0-${size - 1}` } : {}
  call.response.writeHead(308, 'Resume Incomplete', { ...range, 'content-length': 0 }).end()
}

export class Sessions {
  readonly #state: State
  readonly #sessions = new Map<string, Session>()
  readonly #finished: string[] = []

  constructor(state: State) {
    this.#state = state
  }

  /** Refuses at once what could only be refused at the end. */
  async start(target: UploadTarget): Promise<string> {
    parseFieldChange(target.resource)
    checkWrite(target.conditions, this.#state.find(target.bucket, target.name))
    const id = randomUUID()
    const incoming = await openIncoming(this.#state.incoming)
    this.#sessions.set(id, { target, incoming, turn: Promise.resolve() })
    return id
  }

  /** Takes one PUT: bytes, the last bytes, or the question how many are there. */
  async receive(call: Call): Promise<unknown> {
    const { id, session } = this.#find(call)
    // A client that comes again has given up the connection before, which may not have noticed yet.
    if (session.current?.complete === false) session.current.destroy()
    const turn = session.turn.then(() => this.#take(call, id, session))
    session.turn = turn.catch(() => {})
    return await turn
  }

  /** 499 is what Google answers to a cancelled session. */
  async cancel(call: Call): Promise<void> {
    const { id, session } = this.#find(call)
    this.#sessions.delete(id)
    if (!session.object) await session.incoming.abandon()
    call.response.writeHead(499, { 'content-length': 0 }).end()
  }

  async close(): Promise<void> {
    const open = [...this.#sessions.values()].filter(session => !session.object)
    await Promise.all(open.map(session => session.incoming.abandon()))
  }

  #find(call: Call): { id: string; session: Session } {
    const id = call.url.searchParams.get('upload_id') ?? ''
    const session = this.#sessions.get(id)
    if (!session)
      throw new StorageError(404, 'notFound', `No such upload session: ${id}. Start the upload again.`)
    return { id, session }
  }

  async #take(call: Call, id: string, session: Session): Promise<unknown> {
    const { headers } = call.request
    session.current = call.request
    if (session.object) call.request.resume()
    else {
      const range = parseContentRange(headers['content-range'])
      const { incoming } = session
      const complete = range.kind === 'status' || (await append(incoming, call, range.from))
      if (!complete) return undefined
      if (!isLast(range, incoming)) return sendProgress(call, incoming.size)
      session.object = await this.#finish(id, session, headers['x-goog-hash']?.toString())
    }
    return encodeObject(session.object, baseUrl(headers.host))
  }

  async #finish(id: string, session: Session, hashes: string | undefined): Promise<StoredObject> {
    try {
      const object = await finishUpload(this.#state, session.target, await session.incoming.finish(), hashes)
      this.#finished.push(id)
      if (this.#finished.length > remembered) this.#sessions.delete(this.#finished.shift() ?? '')
      return object
    } catch (error) {
      this.#sessions.delete(id)
      throw error
    }
  }
}
