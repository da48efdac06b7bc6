/** Several connections where a file is large: changes of one key always take the same one, so that they keep their order. */
import type { Block, BlockChange } from './collapse.ts'
import { fillRequests } from './fill-requests.ts'
import type { Lane } from './lane.ts'

const MB = 1024 * 1024

/**
 * One connection takes more than 1 MB a second and can exceed 10 (docs.cloud.google.com/bigquery/docs/write-api-best-practices),
 * so a small file is done before a second one is worth its handshake.
 */
export function planLanes(bytes: number): number {
  if (bytes < 64 * MB) return 1
  return bytes < 512 * MB ? 2 : 4
}

/** FNV-1a over the key. */
function hashOf(key: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < key.length; at += 1) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193)
  return hash >>> 0
}

function split(changes: readonly BlockChange[], lanes: number): readonly (readonly BlockChange[])[] {
  if (lanes === 1) return [changes]
  const parts = Array.from({ length: lanes }, (): BlockChange[] => [])
  for (const change of changes) parts[hashOf(change.key) % lanes]?.push(change)
  return parts
}

/** Resolves when every change of the block is stored, with the number of requests that it took. */
export async function sendBlock(block: Block, lanes: readonly Lane[]): Promise<number> {
  const parts = split(block.changes, lanes.length)
  const sent = await Promise.all(
    lanes.map(async (lane, at) => {
      let requests = 0
      for (const request of fillRequests({ changes: parts[at] ?? [], bytes: block.bytes })) {
        await lane.send(request)
        requests += 1
      }
      await lane.drain()
      return requests
    }),
  )
  return sent.reduce((sum, count) => sum + count, 0)
}
