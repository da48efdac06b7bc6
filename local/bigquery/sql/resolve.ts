/** Finds what a name means: a column, a field of a struct, a row, or a select-list alias. */
import type { Path } from './ast.ts'
import type { Emitted, Env, Field, Relation, Rows } from './env.ts'
import { quoteName, quoteText } from './env.ts'
import { SqlFailure } from './error.ts'
import { typeText } from './type.ts'

function same(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase()
}

function findField(fields: readonly Field[], name: string, at: number): Field | undefined {
  const found = fields.filter(field => same(field.name, name))
  if (found.length > 1) throw new SqlFailure(`Column name ${name} is ambiguous`, at)
  return found[0]
}

/** A relation's row as one value. */
export function rowValue(relation: Relation): Emitted {
  if (relation.value) return relation.value
  const items = relation.fields.map(field => `${quoteName(field.name)} := ${field.sql}`)
  const fields = relation.fields.map(({ name, type }) => ({ name, type }))
  return { sql: `struct_pack(${items.join(', ')})`, type: { kind: 'struct', fields } }
}

/** `base.name` for a struct. */
export function emitField(base: Emitted, name: string, at: number): Emitted {
  const { type } = base
  if (type.kind !== 'struct') {
    throw new SqlFailure(`Cannot access field ${name} on a value with type ${typeText(type)}`, at)
  }
  const index = type.fields.findIndex(field => field.name !== undefined && same(field.name, name))
  const field = type.fields[index]
  if (!field) throw new SqlFailure(`Field name ${name} does not exist in ${typeText(type)}`, at)
  return {
    sql: `struct_extract(${base.sql}, ${quoteText(field.name ?? `_field_${index + 1}`)})`,
    type: field.type,
  }
}

function resolveInRows(rows: Rows, first: string, at: number): { value?: Emitted; relation?: Relation } {
  // A relation's name wins over a column's; a row that is a value is what its name means.
  const relation = rows.relations.find(r => same(r.alias, first))
  if (relation) return relation.value ? { value: relation.value } : { relation }
  const merged = findField(rows.merged, first, at)
  if (merged) return { value: merged }
  const field = findField(
    rows.relations.flatMap(r => [...r.fields, ...r.hidden]),
    first,
    at,
  )
  return field ? { value: field } : {}
}

function follow(base: Emitted, names: readonly string[], at: number): Emitted {
  return names.reduce((value, name) => emitField(value, name, at), base)
}

function inRelation(relation: Relation, names: readonly string[], at: number): Emitted {
  const [column, ...fields] = names
  if (column === undefined) return rowValue(relation)
  const field = findField([...relation.fields, ...relation.hidden], column, at)
  if (!field) throw new SqlFailure(`Name ${column} not found inside ${relation.alias}`, at)
  return follow(field, fields, at)
}

/** `dataset.table.column` and `project.dataset.table.column` name a table by its path. */
function byTablePath(rows: Rows, parts: readonly string[], at: number): Emitted | undefined {
  for (const relation of rows.relations) {
    const { table } = relation
    if (!table || !same(relation.alias, table.table)) continue
    const path = [table.project, table.dataset, table.table].filter(part => part !== undefined)
    for (let skip = 0; skip < path.length - 1; skip++) {
      const rest = path.slice(skip)
      if (rest.every((part, i) => same(part, parts[i] ?? '')))
        return inRelation(relation, parts.slice(rest.length), at)
    }
    const whole = path.join('.')
    if (same(whole, parts[0] ?? '') || same(path.slice(-2).join('.'), parts[0] ?? ''))
      return inRelation(relation, parts.slice(1), at)
  }
  return undefined
}

export function resolvePath(path: Path, env: Env): Emitted {
  const { parts, at } = path
  const [first = '', ...rest] = parts
  const alias = env.aliases?.get(first.toLowerCase())
  if (alias) return follow(alias, rest, at)
  for (const rows of env.rows) {
    const { value, relation } = resolveInRows(rows, first, at)
    if (value) return follow(value, rest, at)
    if (relation) return inRelation(relation, rest, at)
    const byPath = rest.length > 0 ? byTablePath(rows, parts, at) : undefined
    if (byPath) return byPath
  }
  throw new SqlFailure(`Unrecognized name: ${parts[0]}`, at)
}
