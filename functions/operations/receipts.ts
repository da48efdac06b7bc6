/** `receipts`: the messages of a feed's past runs, which say what a refresh took. */
import { type Deps, findFeed } from '../handlers/deps.ts'
import type { RefreshMessage } from '../message.ts'

/** Older runs say little about the next one. */
const MOST = 60

/** The latest first; at most 60 runs. Throws `FreshetError` `unknown-feed`. */
export function makeReceipts(deps: Deps) {
  return async (name: string): Promise<RefreshMessage[]> => {
    const feed = findFeed(deps, name)
    const receipts: RefreshMessage[] = []
    let runs = 0
    for await (const { messages } of deps.state.listRuns(feed.name)) {
      receipts.push(...(messages ?? []))
      runs += 1
      if (runs === MOST) break
    }
    return receipts
  }
}
