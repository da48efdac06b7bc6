/** What governs a table beyond its rows, and what of it a publish would lose. */

export interface Governance {
  readonly description?: string
  readonly labels: Readonly<Record<string, string>>
  readonly columns: readonly ColumnGovernance[]
  /** Columns of the primary key, in its order. */
  readonly primaryKey?: readonly string[]
  /** Each as one canonical text. */
  readonly foreignKeys: readonly string[]
  /** Ids of row access policies. */
  readonly rowAccessPolicies: readonly string[]
}

export interface ColumnGovernance {
  readonly name: string
  readonly description?: string
  readonly policyTags: readonly string[]
}

const own = (label: string) => label.startsWith('freshet_')

/** Labels that people gave the target; a publish carries them over. */
export const foreignLabels = ({ labels }: Governance): [string, string][] =>
  Object.entries(labels).filter(([label]) => !own(label))

const list = (texts: readonly string[]) => texts.toSorted().join(', ')

function* columnLosses(target: Governance, source: Governance): Generator<string> {
  const columns = new Map(source.columns.map(column => [column.name.toLowerCase(), column]))
  for (const { name, policyTags, description } of target.columns) {
    const column = columns.get(name.toLowerCase())
    if (list(policyTags) !== list(column?.policyTags ?? []) && policyTags.length > 0) {
      yield `the policy tag of column ${name}: ${list(policyTags)}`
    }
    if (description && description !== column?.description) yield `the description of column ${name}`
  }
}

/**
 * A clone takes columns, constraints and row access policies from its source
 * (docs.cloud.google.com/bigquery/docs/table-clones-create). Labels, the description and the primary key are put
 * back by the publish itself; the rest of what `target` has must be on `source` (staging) too, or it is lost.
 */
export function findLosses(target: Governance, source: Governance): string[] {
  const policies = target.rowAccessPolicies.filter(id => !source.rowAccessPolicies.includes(id))
  const keys = target.foreignKeys.filter(key => !source.foreignKeys.includes(key))
  return [
    ...policies.map(id => `the row access policy ${id}`),
    ...columnLosses(target, source),
    ...keys.map(key => `the foreign key ${key}`),
  ]
}

/** After a publish: what the target had before and has no more. */
export function findLost(before: Governance, after: Governance): string[] {
  const lost = findLosses(before, after)
  for (const [label, value] of foreignLabels(before)) {
    if (after.labels[label] !== value) lost.push(`the label ${label}`)
  }
  if (before.description && !after.description) lost.push('the description of the table')
  if (before.primaryKey && list(before.primaryKey) !== list(after.primaryKey ?? []))
    lost.push('the primary key')
  return lost
}

/** Why staging may not be read: a query shows only the rows that its policies let through. */
export function findHiddenRows({ rowAccessPolicies }: Governance): string | undefined {
  const [first] = rowAccessPolicies
  return first && `staging has the row access policy ${first}, so that a query may not see all of its rows`
}
