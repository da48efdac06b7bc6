/** A stopwatch that stands still while load jobs run: loading is reported apart. */
import { type CloudAddress, makeBigQuery } from '../../cli/clients.ts'

/** Clock and processors at one moment: milliseconds since 1970, seconds of all threads of this process. */
interface Mark {
  readonly at: number
  readonly cpuSeconds: number
}

function mark(): Mark {
  const { user, system } = process.cpuUsage()
  return { at: Date.now(), cpuSeconds: (user + system) / 1e6 }
}

const tickMs = 5

/** What the processors had done by then, between the marks on either side of it. */
function cpuAt(marks: readonly Mark[], at: number): number {
  const next = marks.findIndex(found => found.at >= at)
  const [before, after] = [marks[next - 1] ?? marks[0], marks[next] ?? marks.at(-1)]
  if (!before || !after) return 0
  const share = after.at > before.at ? (at - before.at) / (after.at - before.at) : 0
  return before.cpuSeconds + Math.min(1, share) * (after.cpuSeconds - before.cpuSeconds)
}

export interface Spent {
  readonly seconds: number
  readonly cpuSeconds: number
  readonly loadSeconds: number
}

export interface Stopwatch {
  begin(): void
  end(): void
  /** From `begin` to `end` without the loads; asked of the jobs afterwards, so that nothing is asked meanwhile. */
  spent(): Promise<Spent>
}

export function watchLoads(cloud: CloudAddress): Stopwatch {
  const marks: Mark[] = []
  let timer: NodeJS.Timeout | undefined
  const readLoads = async (from: number) => {
    const [jobs] = await makeBigQuery(cloud).getJobs({ maxResults: 50, autoPaginate: false })
    return jobs
      .map(job => job.metadata)
      .filter(job => job.configuration.load && Number(job.statistics.creationTime) >= from)
      .map(({ statistics }) => [Number(statistics.creationTime), Number(statistics.endTime)] as const)
  }
  return {
    begin() {
      marks.push(mark())
      timer = setInterval(() => marks.push(mark()), tickMs)
    },
    end() {
      clearInterval(timer)
      marks.push(mark())
    },
    async spent() {
      const [first, last] = [marks[0], marks.at(-1)]
      if (!first || !last) throw new Error('nothing was timed')
      const loads = await readLoads(first.at)
      const sum = (of: (from: number, to: number) => number) =>
        loads.reduce((total, [from, to]) => total + of(from, to), 0)
      const loadSeconds = sum((from, to) => to - from) / 1000
      const loadCpu = sum((from, to) => cpuAt(marks, to) - cpuAt(marks, from))
      return {
        seconds: (last.at - first.at) / 1000 - loadSeconds,
        cpuSeconds: last.cpuSeconds - first.cpuSeconds - loadCpu,
        loadSeconds,
      }
    },
  }
}
