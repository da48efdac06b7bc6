/** What governs a target stays on it, or the publish is refused before anything is touched. */
import { describe, expect, test } from 'vitest'
import { findHiddenRows, findLosses, findLost, type Governance } from '../../functions/plan/governance.ts'
import { planClone } from '../../functions/plan/stages/publish.ts'
import { rollbackPointOf } from '../../functions/plan/tables.ts'
import { readPlanCases } from '../support/plan-case.ts'

const none: Governance = { labels: {}, columns: [], foreignKeys: [], rowAccessPolicies: [] }
const tagged = (...policyTags: string[]): Governance => ({
  ...none,
  columns: [{ name: 'price', policyTags }],
})
const told = (description: string): Governance => ({
  ...none,
  columns: [{ name: 'price', policyTags: [], description }],
})

describe('what a publish would lose', () => {
  test.each<[name: string, target: Governance, staging: Governance, losses: string[]]>([
    ['nothing governs either', none, none, []],
    ['a policy tag only on the target', tagged('t/1'), none, ['the policy tag of column price: t/1']],
    ['another policy tag on staging', tagged('t/1'), tagged('t/2'), ['the policy tag of column price: t/1']],
    ['the same policy tags in another order', tagged('t/1', 't/2'), tagged('t/2', 't/1'), []],
    ['a policy tag only on staging', none, tagged('t/1'), []],
    ['a column description only on the target', told('net'), none, ['the description of column price']],
    ['the same column description', told('net'), told('net'), []],
    ['a row access policy', { ...none, rowAccessPolicies: ['emea'] }, none, ['the row access policy emea']],
    ['a foreign key', { ...none, foreignKeys: ['{"name":"f"}'] }, none, ['the foreign key {"name":"f"}']],
    [
      'labels, description and primary key, which are put back',
      { ...none, labels: { team: 'a' }, description: 'd', primaryKey: ['k'] },
      none,
      [],
    ],
  ])('%s', (_, target, staging, losses) => {
    expect(findLosses(target, staging)).toEqual(losses)
  })

  test.each<[name: string, before: Governance, after: Governance, lost: string[]]>([
    ['a label', { ...none, labels: { team: 'a' } }, none, ['the label team']],
    [
      "Freshet's own label moves on",
      { ...none, labels: { freshet_run: 'a' } },
      { ...none, labels: { freshet_run: 'b' } },
      [],
    ],
    ['a description', { ...none, description: 'd' }, none, ['the description of the table']],
    ['a primary key', { ...none, primaryKey: ['k'] }, none, ['the primary key']],
    [
      'nothing',
      { ...none, description: 'd', primaryKey: ['k'] },
      { ...none, description: 'e', primaryKey: ['k'] },
      [],
    ],
  ])('afterwards: %s', (_, before, after, lost) => {
    expect(findLost(before, after)).toEqual(lost)
  })

  test('staging with a row access policy is not read', () => {
    expect(findHiddenRows({ ...none, rowAccessPolicies: ['emea'] })).toContain('emea')
    expect(findHiddenRows(none)).toBeUndefined()
  })
})

test("the clone keeps people's labels, description and primary key", () => {
  const [retail] = readPlanCases().filter(({ name }) => name === 'sequence-from-snapshot')
  if (!retail) throw new Error('the case is gone')
  const context = { feed: retail.feed, run: '0123456789abcdef' as never, warehouse: retail.state.warehouse }
  const target = {
    ...none,
    labels: { team: "o'hara", freshet_run: 'old' },
    description: 'Towns',
    primaryKey: ['name', 'lat'],
  }
  const jobs = planClone(context, rollbackPointOf(context), target)
  const [clone, key] = jobs.map(({ configuration }) => String(configuration.query?.query))
  expect(clone).toContain(
    String.raw`labels = [('team', 'o\'hara'), ('freshet_feed', 'cities'), ('freshet_run', '0123456789abcdef')]`,
  )
  expect(clone).toContain("description = 'Towns'")
  expect(key).toBe('ALTER TABLE `shop-prod.geo.cities` ADD PRIMARY KEY (`name`, `lat`) NOT ENFORCED')
})
