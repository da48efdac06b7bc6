/** What a feed file says of the tables elsewhere that show its target's rows. */
import { z } from 'zod'
import { WAYS } from './feed.ts'
import { duration } from './terms.ts'

/** Names in Postgres have at most 63 bytes; ASCII keeps characters and bytes the same. */
const POSTGRES_TABLE = /^[A-Za-z_][A-Za-z0-9_]{0,62}\.[A-Za-z_][A-Za-z0-9_]{0,62}$/
const POSTGRES_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,62}$/
const databaseName = z
  .string()
  .regex(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/, { error: 'is no name: lower-case words joined by dashes' })
const postgresName = z
  .string()
  .regex(POSTGRES_NAME, { error: 'is no name: letters, digits and underscores, at most 63' })

const apart = z.strictObject({
  database: databaseName.describe(
    'Names the database that builds: its address is in FRESHET_POSTGRES_…, as above',
  ),
  server: postgresName.describe('The foreign server, in the live database, that leads there'),
  reader: postgresName
    .optional()
    .describe("The role of the server's user mapping: it is let read every build"),
})

export const servedSchema = z.strictObject({
  postgres: z
    .strictObject({
      database: databaseName.describe('Names the database: crm has its address in FRESHET_POSTGRES_CRM'),
      table: z
        .string()
        .regex(POSTGRES_TABLE, { error: 'is no table of Postgres; write it as schema.table' })
        .describe('The table there, as schema.table'),
      way: z
        .enum(WAYS)
        .default('auto')
        .describe(
          'delta: only rows that differ; swap: a new table in place of the old; apart: one built in another Postgres; auto: by the change, or apart where that is set',
        ),
      workers: z.int().min(1).max(16).default(2).describe('Connections that a swap loads over'),
      grace: duration.default('10 minutes').describe('How long a table that was swapped out is kept'),
      apart: apart.optional().describe('Where way apart builds'),
    })
    .describe('A table of Postgres'),
})
