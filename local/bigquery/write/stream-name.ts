/** Names of write streams: which table, and that the stream is the default one. */
import type { TableId } from '../catalogue/entry.ts'
import { checkProject } from '../names.ts'
import { invalidArgument, unsupported } from './errors.ts'

const form = /^projects\/([^/]+)\/datasets\/([^/]+)\/tables\/([^/]+)(?:\/streams)?\/([^/]+)$/

/** Clients write both `…/tables/T/streams/_default` and `…/tables/T/_default`. Every table has the default stream. */
export function parseStreamName(project: string, name: string): TableId {
  const match = form.exec(name)
  const [, owner, dataset, table, stream] = match ?? []
  if (!dataset || !table) throw invalidArgument(`Invalid stream name. Entity: ${name}`)
  checkProject(project, owner)
  if (stream !== '_default') throw unsupported('streams that applications create')
  return { dataset, table }
}

export function streamName(project: string, { dataset, table }: TableId): string {
  return `projects/${project}/datasets/${dataset}/tables/${table}/streams/_default`
}
