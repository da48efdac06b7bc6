/** Values on their way to JSON: a BIGNUMERIC inside of one goes as its text, since no number of JSON's here holds it. */
import { sqlStruct } from './coerce.ts'
import type { Emitted } from './env.ts'
import { type SqlType, scalar } from './type.ts'

function holdsBignumeric(type: SqlType): boolean {
  if (type.kind === 'scalar') return type.name === 'BIGNUMERIC'
  return type.kind === 'array' ? holdsBignumeric(type.of) : type.fields.some(f => holdsBignumeric(f.type))
}

function withText(type: SqlType): SqlType {
  if (type.kind === 'scalar') return type.name === 'BIGNUMERIC' ? scalar('STRING') : type
  if (type.kind === 'array') return { kind: 'array', of: withText(type.of) }
  return { kind: 'struct', fields: type.fields.map(f => ({ ...f, type: withText(f.type) })) }
}

/** The value with every BIGNUMERIC in it as text; `undefined` for a bare one, of which JSON would have to be a number. */
export function jsonArgument(value: Emitted): Emitted | undefined {
  const { type } = value
  if (!holdsBignumeric(type)) return value
  return type.kind === 'scalar' ? undefined : inner(value)
}

function inner({ sql, type }: Emitted): Emitted {
  if (!holdsBignumeric(type)) return { sql, type }
  const to = withText(type)
  if (type.kind === 'scalar') return { sql: `bq_bignumeric_text(${sql})`, type: to }
  if (type.kind === 'array') {
    const item = inner({ sql: 'x', type: type.of }).sql
    return { sql: `list_transform(${sql}, lambda x: ${item})`, type: to }
  }
  return to.kind === 'struct' ? { sql: sqlStruct(sql, type, to, inner), type: to } : { sql, type }
}
