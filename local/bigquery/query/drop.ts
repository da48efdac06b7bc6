/** DROP TABLE, SNAPSHOT TABLE, VIEW and SCHEMA; CREATE SCHEMA and CREATE VIEW. */
import { BigQueryError, invalid, unsupported } from '../errors.ts'
import type { Outcome } from '../jobs/run.ts'
import { checkDatasetId, checkProject, getDataset, spell, tableNotFound } from '../names.ts'
import {
  type CreateSchema,
  type CreateView,
  type Drop,
  type DropSchema,
  translateQuery,
} from '../sql/index.ts'
import { checkCreate, ddl } from './create-table.ts'
import { labelsOf, readOptions, withOptions } from './options.ts'
import { makeScope } from './scope.ts'
import { resultSchema } from './select.ts'
import type { Session } from './session.ts'

const kinds = { dropTable: 'TABLE', dropSnapshot: 'SNAPSHOT', dropView: 'VIEW' } as const

export function drop(session: Session, statement: Drop): Outcome {
  const { project } = session.run
  const id = session.target(statement.name)
  return {
    statistics: {},
    apply(draft) {
      const entry = draft.table(id)
      if (!entry) {
        if (statement.ifExists) return ddl(session, statement.name, 'SKIP')
        getDataset(project, draft, id.dataset)
        throw tableNotFound(project, id)
      }
      const wanted = kinds[statement.kind]
      if (entry.kind !== wanted) {
        throw invalid(
          `${spell(project, id)} is not allowed for this operation because it is currently a ${entry.kind}.`,
          'query',
        )
      }
      draft.dropTable(id)
      return ddl(session, statement.name, 'DROP')
    },
  }
}

/** A view's schema is found when it is made; names in it resolve by themselves from then on. */
export async function createView(session: Session, statement: CreateView): Promise<Outcome> {
  const { run } = session
  const id = session.target(statement.name)
  if (checkCreate(session, session.view(), statement) === 'SKIP')
    return { statistics: ddl(session, statement.name, 'SKIP') }
  if (statement.columns.length > 0) throw unsupported('A column list of a view')
  // A view has no default dataset: every table in it must be qualified.
  const scope = makeScope(run, session.view(), undefined)
  run.defer(() => scope.release())
  const schema = resultSchema(translateQuery(statement, scope, []))
  const options = await readOptions(session, statement.options, statement.text)
  const entry = withOptions(
    { kind: 'VIEW' as const, ...id, schema, segments: [], view: statement.queryText },
    options,
  )
  return {
    statistics: {},
    apply(draft) {
      const operation = checkCreate(session, draft, statement)
      draft.putTable(entry)
      return ddl(session, statement.name, operation)
    },
  }
}

function schemaTarget(project: string, dataset: string) {
  return { projectId: project, datasetId: dataset }
}

export async function createSchema(session: Session, statement: CreateSchema): Promise<Outcome> {
  const { project, location } = session.run
  checkProject(project, statement.project)
  const dataset = checkDatasetId(statement.dataset)
  const values = await readOptions(session, statement.options, statement.text)
  const days = (name: string) => {
    const value = values[name]
    return value === undefined || value === null ? undefined : Math.round(Number(value) * 86_400_000)
  }
  const known = [
    'location',
    'description',
    'friendly_name',
    'labels',
    'default_table_expiration_days',
    'default_partition_expiration_days',
  ]
  for (const name of Object.keys(values))
    if (!known.includes(name)) throw unsupported(`Schema option ${name}`)
  const tables = days('default_table_expiration_days')
  const partitions = days('default_partition_expiration_days')
  return {
    statistics: {},
    apply(draft) {
      const target = { ddlTargetDataset: schemaTarget(project, dataset) }
      if (draft.dataset(dataset)) {
        if (statement.ifNotExists) return { ddlOperationPerformed: 'SKIP', ...target }
        throw new BigQueryError('duplicate', `Already Exists: Dataset ${project}:${dataset}`)
      }
      const { description, friendly_name: friendlyName, labels } = values
      draft.putDataset({
        dataset,
        location: typeof values.location === 'string' ? values.location : location,
        created: draft.now,
        ...(typeof description === 'string' ? { description } : {}),
        ...(typeof friendlyName === 'string' ? { friendlyName } : {}),
        ...(labels === undefined ? {} : { labels: labelsOf(labels) }),
        ...(tables === undefined ? {} : { defaultTableExpirationMs: tables }),
        ...(partitions === undefined ? {} : { defaultPartitionExpirationMs: partitions }),
      })
      return { ddlOperationPerformed: 'CREATE', ...target }
    },
  }
}

export function dropSchema(session: Session, statement: DropSchema): Outcome {
  const { project } = session.run
  checkProject(project, statement.project)
  const { dataset, ifExists, cascade } = statement
  return {
    statistics: {},
    apply(draft) {
      const target = { ddlTargetDataset: schemaTarget(project, dataset) }
      if (!draft.dataset(dataset) && ifExists) return { ddlOperationPerformed: 'SKIP', ...target }
      getDataset(project, draft, dataset)
      if (!cascade && draft.tablesOf(dataset).length > 0) {
        throw new BigQueryError('resourceInUse', `Dataset ${project}:${dataset} is still in use`)
      }
      draft.dropDataset(dataset)
      return { ddlOperationPerformed: 'DROP', ...target }
    },
  }
}
