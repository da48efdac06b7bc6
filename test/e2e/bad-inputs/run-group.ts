/** Sends the inputs of a group between two good snapshots and keeps what became of each. */
import type { RefreshMessage } from '../../../functions/message.ts'
import type { BadInput, Group } from './bad-input.ts'
import type { Bed, Files } from './bed.ts'

type Look = Awaited<ReturnType<Bed['look']>>

export interface Outcome {
  readonly id: string
  readonly message: RefreshMessage
  readonly before: Look
  readonly after: Look
}
export interface Results {
  readonly of: ReadonlyMap<BadInput, Promise<Outcome>>
  /** Of the good snapshots before and after. */
  readonly first: Promise<Outcome>
  readonly last: Promise<Outcome>
}

/** Data first, then the manifest or the marker, as a source would. */
async function deliver(bed: Bed, { feed }: Group, id: string, files: Files): Promise<void> {
  const complete = bed.parsed.get(feed)?.source.complete
  const folder = `${feed}/${id}/`
  const { 'manifest.json': manifest, ...data } = files
  for (const [name, content] of Object.entries(data)) await bed.put(folder + name, content)
  const listed = JSON.stringify({ files: Object.keys(data).map(name => ({ name })) })
  if (complete?.kind === 'manifest') await bed.put(`${folder}manifest.json`, manifest ?? listed)
  if (complete?.kind === 'marker') await bed.put(`${folder}_SUCCESS`, '')
}

/** `before` is how the tables were left; nothing else writes them. */
async function run(
  bed: Bed,
  group: Group,
  before: Look,
  id: string,
  input: Partial<BadInput>,
): Promise<Outcome> {
  if (input.deliver) await input.deliver({ bed, id, folder: `${group.feed}/${id}/` })
  else await deliver(bed, group, id, input.files ?? {})
  const message = await bed.message(group.feed, id, input.answers)
  return { id, message, before, after: await bed.look(group.feed) }
}

/** Starts the group once `start` is over; each outcome is a promise of its own, so that every input is a test of its own. */
export function runGroup(bed: Bed, group: Group, start: Promise<unknown>): Results {
  const { first: firstId, last: lastId } = group.ids ?? { first: '1', last: '9999' }
  const of = new Map<BadInput, Promise<Outcome>>()
  let left: Promise<Look> = start.then(() => bed.look(group.feed))
  const next = (id: string, input: Partial<BadInput>): Promise<Outcome> => {
    const outcome = left.then(before => run(bed, group, before, id, input))
    // What one input leaves unanswered is that one's failure.
    left = outcome.then(
      ({ after }) => after,
      () => bed.look(group.feed),
    )
    return outcome
  }
  const first = next(firstId, { files: group.good })
  for (const [at, input] of group.cases.entries()) of.set(input, next(input.id ?? String(at + 2), input))
  return { of, first, last: next(lastId, { files: group.good }) }
}
