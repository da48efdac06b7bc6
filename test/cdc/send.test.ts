/** Sending: whatever is lost, doubled, interrupted or out of order, the table ends as the reference model says. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { NO_CHANGES } from '../../functions/cdc/count-file.ts'
import { type Progress, sendSlice } from '../../functions/cdc/send-file.ts'
import { FreshetError } from '../../functions/errors.ts'
import { AppendServer, type Fate } from '../support/append-server.ts'
import { bytesOf, readChangeFeed } from '../support/change-feed.ts'

const feed = readChangeFeed()
const MB = 1024 * 1024

interface Change {
  readonly id: number
  readonly lsn: number
  readonly price: number
  readonly gone: boolean
}
const encode = (changes: readonly Change[]) =>
  changes
    .map(({ id, lsn, price, gone }, ordinal) =>
      JSON.stringify({ op: gone ? 'D' : 'U', id, lsn: lsn.toString(16), ordinal, ...(!gone && { price }) }),
    )
    .join('\n')

/** One slice after the other until the file is at its end; a slice may be cut off, and then begins where it was saved. */
async function send(server: AppendServer, text: string, size = 0, killed: () => boolean = () => false) {
  let progress: Progress = { line: 0, counts: NO_CHANGES }
  for (let slices = 0; slices < 200; slices += 1)
    try {
      const end = await sendSlice(feed, {
        open: () => bytesOf(text),
        after: progress.line,
        counts: progress.counts,
        connect: () => server.connect({ projectId: 'p', datasetId: 'd', tableId: 't' }, descriptor),
        sleep: async () => {},
        isTimeUp: () => false,
        onBlock: async done => {
          if (killed()) throw new Error('killed')
          progress = done
        },
        limit: { bytes: MB, changes: 5 },
        size,
      })
      return end
    } catch (error) {
      if (!(error instanceof Error && /killed/.test(error.message))) throw error
    }
  throw new Error('no end')
}
const { makeDescriptor } = await import('../../functions/cdc/descriptor.ts')
const descriptor = makeDescriptor(feed)

const change: fc.Arbitrary<Change> = fc.record({
  id: fc.integer({ min: 1, max: 8 }),
  lsn: fc.integer({ min: 0, max: 30 }),
  price: fc.integer({ min: 0, max: 99 }),
  gone: fc.boolean(),
})
/** In one file the ordinal tells changes apart, so that the newest of a key is one. */
const files = fc.array(fc.array(change, { maxLength: 40 }), { minLength: 1, maxLength: 3 })
const fates = fc.array(
  fc.constantFrom<Fate>('stored', 'stored', 'stored', 'lost before', 'lost after', 'no connection'),
  {
    maxLength: 30,
  },
)

/** Newest by (lsn, ordinal), over all files in their order; of ties the later one. */
function reference(all: readonly (readonly Change[])[]): Record<string, string> {
  const newest = new Map<number, { readonly rank: number; readonly change: Change }>()
  for (const changes of all)
    for (const [ordinal, one] of changes.entries()) {
      const rank = one.lsn * 1_000 + ordinal
      if (rank >= (newest.get(one.id)?.rank ?? -1)) newest.set(one.id, { rank, change: one })
    }
  const left = [...newest].flatMap(([id, { change }]) =>
    change.gone ? [] : [[String(id), String(change.price)]],
  )
  return Object.fromEntries(left.toSorted())
}
const pricesOf = (server: AppendServer) =>
  Object.fromEntries(Object.entries(server.rows()).map(([id, row]) => [id, row.price]))

describe('the table ends as the reference model says', () => {
  test.each([
    ['one connection', 0],
    ['four connections', 600 * MB],
  ])('with %s, whatever is lost and wherever it is killed', async (_, size) => {
    await fc.assert(
      fc.asyncProperty(files, fates, fc.array(fc.boolean(), { maxLength: 20 }), async (all, plan, kills) => {
        const server = new AppendServer(plan)
        const killed = kills[Symbol.iterator]()
        for (const changes of all)
          await send(server, encode(changes), size, () => killed.next().value === true)
        expect(pricesOf(server)).toEqual(reference(all))
      }),
      { numRuns: 60 },
    )
  })

  test('in whichever order the files come, and however often', async () => {
    const distinct = files.map(all =>
      all.map((changes, at) => changes.map(one => ({ ...one, lsn: one.lsn * all.length + at }))),
    )
    await fc.assert(
      fc.asyncProperty(distinct, fc.array(fc.nat(2), { maxLength: 4 }), async (all, again) => {
        const server = new AppendServer()
        const order = [...again.filter(at => at < all.length), ...all.keys()].toReversed()
        for (const at of order) await send(server, encode(all[at] ?? []))
        expect(pricesOf(server)).toEqual(reference(all))
      }),
      { numRuns: 60 },
    )
  })
})

test('a row that BigQuery refuses is told by its line', async () => {
  const text = encode([1, 2, 3, 4, 5, 6, 7].map(id => ({ id, lsn: 1, price: id, gone: false })))
  const server = new AppendServer([], row => (row.id === '7' ? 'no such price' : undefined))
  await expect(send(server, text)).rejects.toMatchObject({ line: 7, message: 'no such price' })
  expect(Object.keys(server.rows())).toEqual(['1', '2', '3', '4', '5'])
})

test('trouble that does not pass ends the slice, to be tried later', async () => {
  const server = new AppendServer(Array.from({ length: 100 }, (): Fate => 'no connection'))
  const failed = send(server, encode([{ id: 1, lsn: 1, price: 1, gone: false }]))
  await expect(failed).rejects.toBeInstanceOf(FreshetError)
  await expect(failed).rejects.toMatchObject({ retry: 'later' })
})

test('requests are filled: as few as the size allows, none over it', async () => {
  const { fillRequests } = await import('../../functions/cdc/fill-requests.ts')
  const { ProtoBytes } = await import('../../functions/cdc/proto-bytes.ts')
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 60 })), sizes => {
      const bytes = new ProtoBytes()
      const changes = sizes.map((size, at) => {
        const start = bytes.length
        bytes.string('x'.repeat(size))
        return { key: '', sequence: '', kind: 'upsert' as const, start, end: bytes.length, line: at }
      })
      const requests = [...fillRequests({ changes, bytes }, 100)]
      expect(requests.flatMap(({ lines }) => lines)).toEqual(sizes.keys().toArray())
      for (const [at, { bytes: size, rows }] of requests.entries()) {
        expect(size <= 100 || rows.length === 1).toBe(true)
        const next = requests[at + 1]?.rows[0]
        if (next) expect(size + next.length + 6).toBeGreaterThan(100)
      }
    }),
  )
})
