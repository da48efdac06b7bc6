/** Finds the tables that a statement reads. */
import type { FromTable, Query, TableName } from './ast.ts'

type Names = ReadonlySet<string>

function isNode(value: unknown): value is { readonly kind?: unknown } & object {
  return typeof value === 'object' && value !== null
}

function isQuery(value: object): value is Query {
  return 'kind' in value && value.kind === 'query'
}

function isTable(value: object): value is FromTable {
  return 'kind' in value && value.kind === 'table' && 'name' in value
}

function isSelect(value: object): value is { from: unknown } {
  return 'kind' in value && value.kind === 'select' && 'from' in value
}

/** Names that a FROM clause gives its relations: `FROM t, t.items` reads only one table. */
function aliases(from: unknown, into: Set<string>): Set<string> {
  if (!isNode(from)) return into
  if ('alias' in from && typeof from.alias === 'string') into.add(from.alias.toLowerCase())
  else if (isTable(from)) into.add(from.name.table.toLowerCase())
  if ('left' in from && 'right' in from) {
    aliases(from.left, into)
    aliases(from.right, into)
  }
  return into
}

/** Each table read, once. What is a CTE or an array of a row in FROM is no table. */
export function readReferences(statement: object): readonly TableName[] {
  const found = new Map<string, TableName>()
  const visit = (value: unknown, ctes: Names, rows: Names): void => {
    if (!isNode(value)) return
    if (isQuery(value)) {
      visitQuery(value, ctes, rows)
      return
    }
    if (isTable(value)) {
      const { project, dataset, table } = value.name
      const isCte = dataset === undefined && ctes.has(table.toLowerCase())
      if (!isCte && !rows.has((project ?? dataset ?? '').toLowerCase()))
        found.set(JSON.stringify([project, dataset, table]), value.name)
    }
    const visible = isSelect(value) ? aliases(value.from, new Set(rows)) : rows
    for (const child of Object.values(value)) visit(child, ctes, visible)
  }
  const visitQuery = (query: Query, outer: Names, rows: Names): void => {
    const ctes = new Set(outer)
    if (query.recursive) for (const cte of query.ctes) ctes.add(cte.name.toLowerCase())
    for (const cte of query.ctes) {
      visit(cte.query, new Set(ctes), rows)
      ctes.add(cte.name.toLowerCase())
    }
    for (const child of [query.body, query.orderBy, query.limit, query.offset]) visit(child, ctes, rows)
  }
  visit(statement, new Set(), new Set())
  return [...found.values()]
}
