/** Reads what governs a table out of the API's metadata. docs.cloud.google.com/bigquery/docs/reference/rest/v2/tables */
import { z } from 'zod'
import type { Governance } from '../plan/governance.ts'

const field = z.object({
  name: z.string(),
  description: z.string().optional(),
  policyTags: z.object({ names: z.array(z.string()).default([]) }).optional(),
})
const metadata = z.object({
  description: z.string().optional(),
  labels: z.record(z.string(), z.string()).default({}),
  schema: z.object({ fields: z.array(field).default([]) }).optional(),
  tableConstraints: z
    .object({
      primaryKey: z.object({ columns: z.array(z.string()) }).optional(),
      foreignKeys: z.array(z.unknown()).default([]),
    })
    .optional(),
})
const policies = z.object({
  rowAccessPolicies: z
    .array(z.object({ rowAccessPolicyReference: z.object({ policyId: z.string() }) }))
    .default([]),
})

export function parseGovernance(table: unknown, accessPolicies: unknown): Governance {
  const { description, labels, schema, tableConstraints } = metadata.parse(table)
  const primaryKey = tableConstraints?.primaryKey?.columns
  return {
    ...(description !== undefined && { description }),
    labels,
    columns: (schema?.fields ?? []).map(({ name, description: text, policyTags }) => ({
      name,
      policyTags: policyTags?.names ?? [],
      ...(text !== undefined && { description: text }),
    })),
    ...(primaryKey && { primaryKey }),
    foreignKeys: (tableConstraints?.foreignKeys ?? []).map(key => JSON.stringify(key)),
    rowAccessPolicies: policies
      .parse(accessPolicies)
      .rowAccessPolicies.map(({ rowAccessPolicyReference }) => rowAccessPolicyReference.policyId),
  }
}
