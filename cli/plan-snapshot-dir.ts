/** Plans the first run of a feed for a directory, as if its files lay in the inbox. */
import type { Feed } from '../functions/feed/feed.ts'
import { planRun } from '../functions/plan/plan-run.ts'
import type { PendingSnapshot, RunPlan } from '../functions/plan/run-plan.ts'
import { readCrc32c } from './checksum.ts'
import { NAMES } from './laptop-names.ts'
import { readSnapshotDir } from './snapshot-dir.ts'

/** A bucket gives objects their generations; without one each counts as the first. */
const GENERATION = '1'

/** Reads the files' sizes and checksums, submits nothing. Run and job ids differ from those of a real arrival. */
export async function planSnapshotDir(feed: Feed, dir: string): Promise<RunPlan> {
  const { id, files } = await readSnapshotDir(feed, dir)
  const newest = Math.max(...files.map(({ modified }) => modified.getTime()))
  const snapshot: PendingSnapshot = {
    id,
    bucket: NAMES.inbox,
    arrivedAt: new Date(newest).toISOString(),
    generation: GENERATION,
    files: await Promise.all(
      files.map(async ({ path, object, size }) => ({
        name: object,
        generation: GENERATION,
        size,
        crc32c: await readCrc32c(path),
      })),
    ),
  }
  const { project: projectId, location, landing, staging, inbox } = NAMES
  return planRun(feed, [snapshot], { warehouse: { projectId, location, landing, staging, inbox } })
}
