/** ALTER TABLE: each alteration changes the entry; rows are never touched. */
import type { TableEntry } from '../catalogue/entry.ts'
import { type Field, findField } from '../catalogue/field.ts'
import { invalid, unsupported } from '../errors.ts'
import type { Outcome } from '../jobs/run.ts'
import { checkColumnNames } from '../jobs/write.ts'
import { getDataset, spell, tableNotFound } from '../names.ts'
import type { Alteration, AlterTable } from '../sql/index.ts'
import { ddl, fieldFrom } from './create-table.ts'
import { type OptionValues, readOptions, withOptions } from './options.ts'
import type { Session } from './session.ts'

type Step = { readonly alteration: Alteration; readonly options: OptionValues }

function changeField(entry: TableEntry, name: string, change: (field: Field) => Field): TableEntry {
  if (!findField(entry.schema, name)) throw invalid(`Column not found: ${name}`, 'query')
  const schema = entry.schema.map(f => (f.name.toLowerCase() === name.toLowerCase() ? change(f) : f))
  return { ...entry, schema }
}

function withoutDefault({ defaultValueExpression: _, ...field }: Field): Field {
  return field
}

function addColumn(entry: TableEntry, alteration: Extract<Alteration, { kind: 'addColumn' }>): TableEntry {
  const field = fieldFrom(alteration.column)
  checkColumnNames([field])
  if (findField(entry.schema, field.name)) {
    if (alteration.ifNotExists) return entry
    throw invalid(`Column already exists: ${field.name}`, 'query')
  }
  if (field.mode === 'REQUIRED')
    throw invalid(`Cannot add required columns to an existing schema: ${field.name}`, 'query')
  // Segments keep a column that was dropped, under its name, so that the name can't come back with other content.
  if (entry.segments.length > 0 && field.defaultValueExpression !== undefined) {
    throw invalid(`Add a column without default first, then set its default: ${field.name}`, 'query')
  }
  return { ...entry, schema: [...entry.schema, field] }
}

function applyAlteration(entry: TableEntry, { alteration, options }: Step): TableEntry {
  switch (alteration.kind) {
    case 'setOptions':
      return withOptions(entry, options)
    case 'addColumn':
      return addColumn(entry, alteration)
    case 'setColumnOptions': {
      const { description, ...others } = options
      for (const name of Object.keys(others)) throw unsupported(`Column option ${name}`)
      return changeField(entry, alteration.column, f => ({ ...f, description: String(description ?? '') }))
    }
    case 'setDefault':
      return changeField(entry, alteration.column, f => ({ ...f, defaultValueExpression: alteration.text }))
    case 'dropDefault':
      return changeField(entry, alteration.column, withoutDefault)
    case 'dropNotNull':
      return changeField(entry, alteration.column, f => ({ ...f, mode: 'NULLABLE' }))
    case 'addPrimaryKey':
      if (entry.primaryKey?.length) throw invalid('Already Exists: Primary key', 'query')
      return { ...entry, primaryKey: alteration.columns }
    case 'dropPrimaryKey': {
      if (!entry.primaryKey?.length && !alteration.ifExists) throw invalid('Primary key not found', 'query')
      if (entry.upserts) throw unsupported('DROP PRIMARY KEY of a table that has streamed changes')
      const { primaryKey: _, ...rest } = entry
      return rest
    }
    case 'dropColumn':
    case 'renameColumn':
    case 'renameTo':
      throw unsupported(`ALTER TABLE ${alteration.kind}`)
  }
}

export async function alterTable(session: Session, statement: AlterTable): Promise<Outcome> {
  const { project } = session.run
  const id = session.target(statement.name)
  const steps: Step[] = []
  for (const alteration of statement.alterations) {
    const given = 'options' in alteration ? alteration.options : {}
    steps.push({ alteration, options: await readOptions(session, given, statement.text) })
  }
  return {
    statistics: {},
    apply(draft) {
      const before = draft.table(id)
      if (!before) {
        if (statement.ifExists) return ddl(session, statement.name, 'SKIP')
        getDataset(project, draft, id.dataset)
        throw tableNotFound(project, id)
      }
      if (before.kind === 'VIEW')
        throw invalid(`${spell(project, id)} is a view, which ALTER TABLE can't change.`, 'query')
      draft.putTable(steps.reduce(applyAlteration, before))
      return ddl(session, statement.name, 'ALTER')
    },
  }
}
