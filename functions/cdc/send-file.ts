/** One slice of a change file's way: reads on from where the last slice ended, checks or sends, and says how far it came. */
import type { ChangeFeed } from '../feed/changes/change-feed.ts'
import type { AppendConnection } from '../gcp/change-ports.ts'
import { type Block, type BlockLimit, collapse } from './collapse.ts'
import { addCounts, countBlock, type FileCounts, findTooLarge } from './count-file.ts'
import { makeEncodeChange } from './encode-change.ts'
import { fillRequests } from './fill-requests.ts'
import { type LaneOptions, makeLane } from './lane.ts'
import { planLanes, sendBlock } from './lanes.ts'
import { makeReadRecords } from './read/records.ts'

export interface SliceOptions {
  /** The object's bytes from its start. */
  open(): AsyncIterable<Uint8Array>
  /** Lines that are done already. */
  readonly after: number
  /** What they amount to. */
  readonly counts: FileCounts
  /** Whether the slice has to end here; asked after each block. */
  isTimeUp(): boolean
  /** Told after each block, when everything up to there is done. */
  onBlock?(done: Progress): Promise<void>
  readonly limit?: BlockLimit
}

export interface Progress {
  readonly line: number
  readonly counts: FileCounts
}

export interface SliceEnd extends Progress {
  /** Whether the file is at its end. */
  readonly done: boolean
}

/** What is done with a block; answers with the number of requests that it took. */
type Use = (block: Block) => Promise<number>

function blocksOf(feed: ChangeFeed, { open, after, limit }: SliceOptions): AsyncGenerator<Block> {
  return collapse(makeReadRecords(feed)(open(), after), makeEncodeChange(feed), limit)
}

async function useBlocks(feed: ChangeFeed, options: SliceOptions, use: Use): Promise<SliceEnd> {
  let progress: Progress = { line: options.after, counts: options.counts }
  for await (const block of blocksOf(feed, options)) {
    const problem = findTooLarge(block)
    if (problem) throw problem
    const requests = await use(block)
    progress = { line: block.line, counts: addCounts(progress.counts, countBlock(block, requests)) }
    await options.onBlock?.(progress)
    if (options.isTimeUp()) return { ...progress, done: false }
  }
  return { ...progress, done: true }
}

/** Reads without sending: a bad record is found before the table is touched. Throws `RecordProblem`. */
export const checkSlice = (feed: ChangeFeed, options: SliceOptions): Promise<SliceEnd> =>
  useBlocks(feed, options, async block => [...fillRequests(block)].length)

export interface SendOptions extends SliceOptions {
  connect(): Promise<AppendConnection>
  sleep: LaneOptions['sleep']
  /** Bytes of the object, by which the number of connections goes. */
  readonly size: number
}

/**
 * Sends; when it answers, every change up to `line` is stored. Throws `RecordProblem` for a row that BigQuery refuses,
 * `FreshetError` for trouble that outlasted the tries; then the changes up to the last `onBlock` are stored for sure.
 */
export async function sendSlice(feed: ChangeFeed, options: SendOptions): Promise<SliceEnd> {
  const { connect, sleep, size } = options
  const lanes = Array.from({ length: planLanes(size) }, () => makeLane({ connect, sleep }))
  try {
    return await useBlocks(feed, options, block => sendBlock(block, lanes))
  } finally {
    for (const lane of lanes) lane.close()
  }
}
