/** Freshet's side: a change file read, encoded and sent by the parts that `apply` is made of. One child process. */
import { createReadStream, statSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { NO_CHANGES } from '../../functions/cdc/count-file.ts'
import { makeDescriptor } from '../../functions/cdc/descriptor.ts'
import { sendSlice } from '../../functions/cdc/send-file.ts'
import { makeChangeStreams } from '../../functions/gcp/write-stream.ts'
import { serveSide, startWatch } from '../side.ts'
import { DATASET, PROJECT, readBenchFeed } from './feed.ts'

process.env.METADATA_SERVER_DETECTION = 'none'

await serveSide(async ({ endpoint, name = '' }) => {
  const feed = readBenchFeed()
  const streams = makeChangeStreams({ projectId: PROJECT, apiEndpoint: endpoint })
  const target = { projectId: PROJECT, datasetId: DATASET, tableId: name }
  return {
    async take(path) {
      const read = startWatch()
      const { counts } = await sendSlice(feed, {
        open: () => createReadStream(path),
        after: 0,
        counts: NO_CHANGES,
        connect: () => streams.connect(target, makeDescriptor(feed)),
        sleep: ms => setTimeout(ms),
        isTimeUp: () => false,
        size: statSync(path).size,
      })
      return { ...read(), rows: counts.upserts }
    },
    close: async () => {},
  }
})
