/** Swap and delta die at every step: what is served stays sound, and the next try ends it, there or elsewhere. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { breakAt } from './break-database.ts'
import { liveFeed } from './live-feed.ts'
import { type OpenBuilder, openBuilder } from './open-builder.ts'

const POINTS = {
  from: ['1 a', '2 a', '3 a', '4 a'],
  to: ['1 a', '2 b', '4 b', '5 b'],
  /** Row 2 is as it was: what tells `from` and this apart does not name it. */
  elsewhere: ['1 c', '2 a', '4 a', '6 c'],
} as const
type Point = keyof typeof POINTS

let at: OpenBuilder
beforeAll(async () => {
  at = await openBuilder()
  for (const [name, rows] of Object.entries(POINTS)) {
    const selects = rows.map(row => `SELECT ${row.split(' ')[0]} AS id, '${row.split(' ')[1]}' AS v`)
    await at.addPoint(`crash_${name}`, `SELECT *, 1 AS delivery FROM (${selects.join(' UNION ALL ')})`)
  }
})
afterAll(() => at.close())

async function read(table: string): Promise<string[]> {
  const { rows } = await at.live.query(`SELECT id || ' ' || v AS line FROM ${table} ORDER BY id`)
  return rows.map(row => row.line)
}

test.each(['swap', 'delta'] as const)('a crash of %s at any step', async way => {
  for (let step = 1; ; step += 1) {
    const table = `app.crash_${way}_${step}`
    const feed = liveFeed(way, table, '{ id: INT64, v: STRING }')
    const show = (point: Point) => at.show(`crash_${point}`)
    show('from')
    await at.serve(feed)
    show('to')
    const crash = await at.serve(feed, breakAt(step, at.open).open).catch((error: unknown) => error)
    const seen = await read(table)
    if (way === 'swap') expect([POINTS.from, POINTS.to]).toContainEqual(seen)
    else for (const line of seen) expect([...POINTS.from, ...POINTS.to]).toContain(line)
    const next: Point = step % 2 === 0 ? 'to' : 'elsewhere'
    show(next)
    await at.serve(feed)
    expect([step, await read(table)]).toEqual([step, POINTS[next]])
    if (!(crash instanceof Error)) {
      expect(step).toBeGreaterThan(15)
      return
    }
    expect(crash.message).toContain(`step ${step}`)
  }
})
