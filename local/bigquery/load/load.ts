/** A load job: files to one segment, one write to the table. */

import type { ObjectFile } from '../../service.ts'
import { duckColumnType, type Field, findField, quote } from '../catalogue/field.ts'
import { type Fill, fillFrom } from '../catalogue/segments.ts'
import { type ErrorProto, invalid } from '../errors.ts'
import type { Outcome, Run } from '../jobs/run.ts'
import { applyWrite, type WriteSpec } from '../jobs/write.ts'
import { makeScope } from '../query/scope.ts'
import { writeRows } from '../query/select.ts'
import { parseExpression, translateExpression } from '../sql/index.ts'
import type { LoadConfig } from './config.ts'
import { fillExactly } from './exact.ts'
import { fillFast } from './fast.ts'
import { readFileSet } from './files.ts'
import { parquetError, sqlParquet } from './parquet.ts'
import { buildPlainCsv } from './plain-csv.ts'
import { buildPlainNdjson } from './plain-ndjson.ts'
import { unpack } from './unpack.ts'

/** The files' columns: what the job says, else what the table has. */
function loadSchema(run: Run, config: LoadConfig): readonly Field[] {
  const existing = run.catalogue.view().table(config.destination)
  const schema = config.schema ?? existing?.schema
  if (!schema || schema.length === 0) {
    throw invalid(
      'No schema was given for the load, and the table has none. Schema auto-detection is not supported by the embedded BigQuery.',
    )
  }
  return schema
}

/** Columns that the table has and the job's schema lacks, with what fills them: their default, as DuckDB text. */
function sqlDefaults(
  run: Run,
  schema: readonly Field[],
  given: readonly Field[],
): { field: Field; sql: string }[] {
  return schema.flatMap(field => {
    const text = field.defaultValueExpression
    if (findField(given, field.name)) return []
    if (text === undefined) return [{ field, sql: `NULL::${duckColumnType(field)}` }]
    const scope = makeScope(run, run.catalogue.view(), undefined)
    const { sql } = translateExpression(parseExpression(text), text, scope)
    return [{ field, sql: `(${sql})::${duckColumnType(field)}` }]
  })
}

interface Source {
  readonly files: readonly ObjectFile[]
  readonly given: readonly Field[]
  readonly config: LoadConfig
  readonly bad: ErrorProto[]
}

/** The job's columns may come in another order than the table's, and in another case. */
function named(schema: readonly Field[], given: readonly Field[]): readonly Field[] {
  return given.map(field => {
    const own = findField(schema, field.name)
    return own ? { ...field, name: own.name, mode: own.mode === 'REQUIRED' ? 'REQUIRED' : field.mode } : field
  })
}

function fillParquet(run: Run, { files, given, config }: Source, schema: readonly Field[]): Fill {
  return async (connection, name) => {
    const extra = sqlDefaults(run, schema, given).map(({ field, sql }) => `${sql} AS ${quote(field.name)}`)
    const fields = named(schema, given)
    try {
      const sql = await sqlParquet(connection, files, fields, config.ignoreUnknownValues, extra)
      return await fillFrom(sql)(connection, name)
    } catch (error) {
      throw parquetError(error, files)
    }
  }
}

function fillText(run: Run, { files, given, config, bad }: Source, schema: readonly Field[]): Fill {
  return async (connection, name) => {
    const fields = named(schema, given)
    const plain = config.format === 'CSV' ? buildPlainCsv(fields, config.csv) : buildPlainNdjson(fields)
    const texts = await unpack(run, files, config.format, plain)
    const fast = await fillFast(connection, name, texts, fields, config, plain)
    const rows = fast ?? (await fillExactly(run.engine, texts, fields, config, bad)(connection, name))
    for (const { field, sql } of sqlDefaults(run, schema, given)) {
      await connection.run(
        `ALTER TABLE ${name} ADD COLUMN ${quote(field.name)} ${duckColumnType(field)} DEFAULT ${sql}`,
      )
    }
    return rows
  }
}

export async function runLoad(run: Run, config: LoadConfig): Promise<Outcome> {
  await run.lock([config.destination])
  const given = loadSchema(run, config)
  const files = await readFileSet(run.objects, config)
  const bad: ErrorProto[] = []
  const source: Source = { files, given, config, bad }
  const { partitioning, clustering, described, write, create } = config
  const spec: WriteSpec = {
    id: config.destination,
    write,
    create,
    schema: given,
    partitioning,
    clustering,
    described,
  }
  const fill = config.format === 'PARQUET' ? fillParquet : fillText
  const { segment, refs } = await writeRows(run, spec, schema => fill(run, source, schema))
  const inputBytes = files.reduce((sum, file) => sum + file.size, 0)
  const load = {
    inputFiles: String(files.length),
    inputFileBytes: String(inputBytes),
    outputRows: String(segment.rows),
    outputBytes: String(segment.bytes),
    badRecords: String(bad.length),
  }
  return {
    statistics: { load },
    warnings: bad,
    apply(draft) {
      applyWrite(run.project, draft, spec, refs)
      return undefined
    },
  }
}
