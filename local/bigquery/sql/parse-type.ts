/** Parses type names: `INT64`, `NUMERIC(10, 2)`, `ARRAY<STRUCT<a INT64>>`. */
import type { Cursor } from './cursor.ts'
import { SqlFailure } from './error.ts'
import type { ScalarName, SqlType } from './type.ts'

// https://cloud.google.com/bigquery/docs/reference/standard-sql/data-types lists the aliases.
const names: Readonly<Record<string, ScalarName>> = {
  INT64: 'INT64',
  INT: 'INT64',
  SMALLINT: 'INT64',
  INTEGER: 'INT64',
  BIGINT: 'INT64',
  TINYINT: 'INT64',
  BYTEINT: 'INT64',
  FLOAT64: 'FLOAT64',
  NUMERIC: 'NUMERIC',
  DECIMAL: 'NUMERIC',
  BIGNUMERIC: 'BIGNUMERIC',
  BIGDECIMAL: 'BIGNUMERIC',
  BOOL: 'BOOL',
  BOOLEAN: 'BOOL',
  STRING: 'STRING',
  BYTES: 'BYTES',
  DATE: 'DATE',
  DATETIME: 'DATETIME',
  TIME: 'TIME',
  TIMESTAMP: 'TIMESTAMP',
  JSON: 'JSON',
  INTERVAL: 'INTERVAL',
}

export function scalarName(upper: string): ScalarName | undefined {
  return names[upper]
}

/** Closes `<…>`; the `>>` of a nested type is one token, of which this takes half. */
class TypeParser {
  private readonly cursor: Cursor
  private halfTaken = false
  constructor(cursor: Cursor) {
    this.cursor = cursor
  }

  private close(): void {
    if (this.halfTaken) {
      this.halfTaken = false
      this.cursor.next()
    } else if (this.cursor.at('>>')) this.halfTaken = true
    else this.cursor.expect('>')
  }

  parse(): SqlType {
    const { cursor } = this
    if (cursor.take('ARRAY')) {
      cursor.expect('<')
      const of = this.parse()
      this.close()
      return { kind: 'array', of }
    }
    if (cursor.take('STRUCT')) return this.struct()
    const token = cursor.take('INTERVAL') ? undefined : cursor.peek()
    if (!token) return { kind: 'scalar', name: 'INTERVAL' }
    if (!cursor.isName() && token.key !== 'RANGE') throw cursor.unexpected('type name')
    cursor.next()
    const name = scalarName(token.text.toUpperCase())
    if (['GEOGRAPHY', 'RANGE'].includes(token.key)) throw cursor.refuse(`Type ${token.key}`, token.at)
    if (!name) throw new SqlFailure(`Type not found: ${token.text}`, token.at)
    return this.sized(name)
  }

  private struct(): SqlType {
    const { cursor } = this
    cursor.expect('<')
    const fields: { name?: string; type: SqlType }[] = []
    if (!cursor.at('>')) {
      do {
        const isNamed =
          cursor.isName() &&
          (cursor.isName(1) || ['ARRAY', 'STRUCT', 'INTERVAL'].includes(cursor.peek(1).key))
        fields.push(isNamed ? { name: cursor.name(), type: this.parse() } : { type: this.parse() })
      } while (!this.halfTaken && cursor.take(','))
    }
    this.close()
    return { kind: 'struct', fields }
  }

  private sized(name: ScalarName): SqlType {
    const { cursor } = this
    if (!cursor.at('(')) return { kind: 'scalar', name }
    const at = cursor.peek().at
    const [first = 0, second] = cursor.parenthesised(() => cursor.integer())
    if (name === 'NUMERIC' || name === 'BIGNUMERIC') {
      return { kind: 'scalar', name, precision: first, scale: second ?? 0 }
    }
    if ((name === 'STRING' || name === 'BYTES') && second === undefined)
      return { kind: 'scalar', name, length: first }
    throw new SqlFailure(`${name} does not support type parameters`, at)
  }
}

export function parseType(cursor: Cursor): SqlType {
  return new TypeParser(cursor).parse()
}
