/** Every bad input ends in one message that explains it, and leaves target and staging as they were. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { exitOfMessage } from '../../../cli/print-message.ts'
import type { Group } from './bad-input.ts'
import { type Bed, startBed } from './bed.ts'
import { bareCsvInputs, csvInputs } from './csv-inputs.ts'
import { gateInputs, mirrorInputs } from './gate-inputs.ts'
import { manifestInputs } from './manifest-inputs.ts'
import { markerInputs, singleFileInputs } from './marker-inputs.ts'
import { nameInputs } from './name-inputs.ts'
import { ndjsonInputs } from './ndjson-inputs.ts'
import { parquetInputs } from './parquet-inputs.ts'
import { type Results, runGroup } from './run-group.ts'
import { valueInputs } from './value-inputs.ts'

const GROUPS: readonly Group[] = [
  csvInputs,
  bareCsvInputs,
  ndjsonInputs,
  valueInputs,
  parquetInputs,
  manifestInputs,
  gateInputs,
  mirrorInputs,
  markerInputs,
  singleFileInputs,
  nameInputs,
]

/** Groups under way at once: most of the time of each is waiting. */
const LANES = 4
let bed: Bed
const results = new Map<string, Results>()
const resultsOf = ({ feed }: Group): Results => {
  const found = results.get(feed)
  if (!found) throw new Error(`${feed} was not started`)
  return found
}

beforeAll(async () => {
  bed = await startBed(GROUPS.map(({ feedText }) => feedText))
  let lanes: Promise<unknown>[] = Array.from({ length: LANES }, () => Promise.resolve())
  for (const group of GROUPS) {
    const [free = Promise.resolve(), ...busy] = lanes
    const started = runGroup(bed, group, free)
    results.set(group.feed, started)
    lanes = [...busy, started.last.catch(() => undefined)]
  }
})
afterAll(() => bed?.close())

describe.each(GROUPS)('$feed', { timeout: 300_000 }, group => {
  test('a good snapshot before', async () => {
    const { message } = await resultsOf(group).first
    expect(message).toMatchObject({ status: 'refreshed', reason: '' })
  })

  test.each(group.cases)('$name', async input => {
    const outcome = await resultsOf(group).of.get(input)
    if (!outcome) throw new Error('was not sent')
    const { message, before, after, id } = outcome
    expect(message).toMatchObject({ status: input.status, snapshots: [id] })
    for (const words of input.says) expect(message.reason).toContain(words)
    if (input.status === 'refreshed') return
    expect(exitOfMessage(message)).toBe(3)
    expect(after).toEqual(before)
  })

  test('a good snapshot after all of them', async () => {
    const { message, after } = await resultsOf(group).last
    expect(message).toMatchObject({ status: 'refreshed', reason: '' })
    expect(after.target.run).toBe(message.run)
  })

  test('as many messages as there have to be', async () => {
    await resultsOf(group).last
    for (const input of group.cases) {
      const outcome = await resultsOf(group).of.get(input)
      expect(bed.messages(group.feed, outcome?.id ?? '')).toHaveLength(input.answers ?? 1)
    }
  })
})
