/** `rowAccessPolicies` over REST: kept and listed. Only a filter that hides nothing is taken, as no row is filtered here. */
import type { Call, Route } from '../../server.ts'
import type { TableEntry, TableId } from '../catalogue/entry.ts'
import { BigQueryError, invalid, unsupported } from '../errors.ts'
import type { Deps } from '../jobs/run.ts'
import { checkProject, getTable, spell } from '../names.ts'
import { type Json, readRecord, readText, refuseOthers, required } from './read.ts'
import { encodeReference } from './table-resource.ts'

/** https://docs.cloud.google.com/bigquery/docs/reference/rest/v2/rowAccessPolicies */
const served = ['rowAccessPolicyReference', 'filterPredicate', 'grantees']

function parsePolicy(raw: Json): string {
  refuseOthers(raw, served, 'rowAccessPolicy')
  const reference = required(readRecord(raw, 'rowAccessPolicyReference'), 'rowAccessPolicyReference')
  const id = required(readText(reference, 'policyId'), 'rowAccessPolicyReference.policyId')
  if (!/^[A-Za-z0-9_]{1,256}$/.test(id)) throw invalid(`Invalid row access policy ID "${id}"`)
  const filter = required(readText(raw, 'filterPredicate'), 'filterPredicate')
  if (filter.trim().toUpperCase() !== 'TRUE')
    throw unsupported(`A row access policy that filters (${filter}); only TRUE is kept`)
  return id
}

function getPoliced(project: string, table: TableEntry | undefined, id: TableId): TableEntry {
  if (table?.kind !== 'TABLE') throw invalid(`${spell(project, id)} can't have row access policies`)
  return table
}

export function makePolicyRoutes({ catalogue, project }: Deps, tablePath: string): Route[] {
  const idOf = ({ params }: Call): TableId => {
    checkProject(project, params.project)
    return { dataset: params.dataset ?? '', table: params.table ?? '' }
  }
  const encode = (table: TableId, policyId: string) => ({
    rowAccessPolicyReference: { ...encodeReference(project, table), policyId },
    filterPredicate: 'TRUE',
  })
  const change = (id: TableId, next: (now: readonly string[]) => readonly string[]) =>
    catalogue.transact(draft => {
      const table = getPoliced(project, getTable(project, draft, id), id)
      draft.putTable({ ...table, rowPolicies: next(table.rowPolicies ?? []) })
    })
  const path = `${tablePath}/:table/rowAccessPolicies`
  return [
    {
      method: 'GET',
      path,
      handler: call => {
        const id = idOf(call)
        const { rowPolicies = [] } = getTable(project, catalogue.view(), id)
        return { rowAccessPolicies: rowPolicies.map(policy => encode(id, policy)) }
      },
    },
    {
      method: 'POST',
      path,
      handler: async call => {
        const id = idOf(call)
        const policy = parsePolicy(await call.body())
        await change(id, now => {
          if (now.includes(policy))
            throw new BigQueryError('duplicate', `Already Exists: Row access policy ${policy}`)
          return [...now, policy]
        })
        return encode(id, policy)
      },
    },
    {
      method: 'DELETE',
      path: `${path}/:policy`,
      handler: async call => {
        const { policy = '' } = call.params
        await change(idOf(call), now => {
          if (!now.includes(policy))
            throw new BigQueryError('notFound', `Not found: Row access policy ${policy}`)
          return now.filter(name => name !== policy)
        })
        call.response.writeHead(204).end()
        return undefined
      },
    },
  ]
}
