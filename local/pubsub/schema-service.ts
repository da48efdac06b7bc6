/** SchemaService: Avro schemas by name, one revision each. */
import { randomBytes } from 'node:crypto'
import type { Clock } from '../service.ts'
import { parseAvro } from './avro.ts'
import { exists, invalid, notFound, unsupported } from './errors.ts'
import { parseName, parseProject, requireProject } from './names.ts'
import { encodeTime, type Page, pageOf, type Schema } from './wire.ts'

interface Kept {
  readonly resource: Required<Schema>
  readonly check: (data: Uint8Array) => void
}

function parseSchema(schema: Schema | undefined) {
  const { type, definition } = schema ?? {}
  if (!definition) throw invalid('Schema definition must not be empty.')
  if (type !== 'AVRO') throw unsupported(`schemas of type ${type ?? 'TYPE_UNSPECIFIED'}; it knows AVRO`)
  return { type, definition, check: parseAvro(definition) }
}

export function requireJson(encoding: string | undefined): void {
  if (encoding !== 'JSON')
    throw unsupported(`the message encoding ${encoding ?? 'ENCODING_UNSPECIFIED'}; it knows JSON`)
}

export class Schemas {
  readonly #clock: Clock
  readonly #project: string
  readonly #schemas = new Map<string, Kept>()

  constructor(clock: Clock, project: string) {
    this.#clock = clock
    this.#project = project
  }

  find(name: string | undefined): Kept | undefined {
    return this.#schemas.get(name ?? '')
  }

  require(name: string | undefined): Kept {
    const kept = this.find(parseName('schemas', name?.replace(/@.*$/, '')))
    if (!kept) throw notFound('Schema not found', name ?? '')
    return kept
  }

  createSchema = (request: { parent?: string; schemaId?: string; schema?: Schema }): Schema => {
    const name = parseName('schemas', `${parseProject(request.parent)}/schemas/${request.schemaId ?? ''}`)
    requireProject(name, this.#project)
    const { type, definition, check } = parseSchema(request.schema)
    if (this.#schemas.has(name)) throw exists('Schema', name)
    const revision = {
      revisionId: randomBytes(4).toString('hex'),
      revisionCreateTime: encodeTime(this.#clock.now()),
    }
    const resource = { name, type, definition, ...revision }
    this.#schemas.set(name, { resource, check })
    return resource
  }

  getSchema = (request: { name?: string; view?: string }): Schema => {
    const { definition, ...basic } = this.require(request.name).resource
    return request.view === 'BASIC' ? basic : { ...basic, definition }
  }

  listSchemas = (request: { parent?: string; view?: string } & Page) => {
    const parent = parseProject(request.parent)
    const mine = [...this.#schemas.values()]
      .map(kept => kept.resource)
      .filter(item => item.name.startsWith(`${parent}/`))
    const { items, ...rest } = pageOf(mine, request)
    return {
      schemas: items.map(({ name }) => this.getSchema({ name, view: request.view ?? 'BASIC' })),
      ...rest,
    }
  }

  deleteSchema = (request: { name?: string }) => {
    this.#schemas.delete(this.require(request.name).resource.name)
    return {}
  }

  validateSchema = (request: { parent?: string; schema?: Schema }) => {
    parseProject(request.parent)
    parseSchema(request.schema)
    return {}
  }

  validateMessage = (request: {
    name?: string
    schema?: Schema
    message?: Uint8Array
    encoding?: string
  }) => {
    const { check } = request.name ? this.require(request.name) : parseSchema(request.schema)
    requireJson(request.encoding)
    check(request.message ?? new Uint8Array())
    return {}
  }
}
