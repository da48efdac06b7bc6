/** A stopwatch that stands still while load jobs run: loading is reported apart. */
import { performance } from 'node:perf_hooks'
import { type CloudAddress, makeBigQuery } from '../../cli/clients.ts'

interface Mark {
  readonly seconds: number
  readonly cpuSeconds: number
}

function mark(): Mark {
  const { user, system } = process.cpuUsage()
  return { seconds: performance.now() / 1000, cpuSeconds: (user + system) / 1e6 }
}

const since = (from: Mark, to: Mark): Mark => ({
  seconds: to.seconds - from.seconds,
  cpuSeconds: to.cpuSeconds - from.cpuSeconds,
})

const pollMs = 10

export interface Stopwatch {
  begin(): void
  end(): void
  /** Of this process, all threads, from `begin` to `end` without the loads. */
  spent(): Mark & { readonly loadSeconds: number }
}

export function watchLoads(cloud: CloudAddress): Stopwatch {
  const bigquery = makeBigQuery(cloud)
  const loading = { begun: undefined as Mark | undefined, loaded: undefined as Mark | undefined }
  let [from, to] = [mark(), mark()]
  let isOver = false
  const poll = async (after: number) => {
    while (!isOver && !loading.loaded) {
      const [jobs] = await bigquery.getJobs({ maxResults: 5, autoPaginate: false })
      const states = jobs
        .map(job => job.metadata)
        .filter(job => job.configuration.load && Number(job.statistics.creationTime) >= after)
        .map(job => job.status.state)
      if (states.length > 0) loading.begun ??= mark()
      if (states.length > 0 && states.every(state => state === 'DONE')) loading.loaded = mark()
      await new Promise(resolve => setTimeout(resolve, pollMs))
    }
  }
  return {
    begin() {
      from = mark()
      void poll(Date.now())
    },
    end() {
      to = mark()
      isOver = true
    },
    spent() {
      const all = since(from, to)
      const { begun, loaded } = loading
      if (!begun || !loaded) throw new Error('no load job was seen')
      const load = since(begun, loaded)
      return {
        seconds: all.seconds - load.seconds,
        cpuSeconds: all.cpuSeconds - load.cpuSeconds,
        loadSeconds: load.seconds,
      }
    },
  }
}
