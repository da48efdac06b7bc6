/** What the tables that a feed serves elsewhere must fulfil: ways that have what they need, no two in one place. */
import type { Finding } from './finding.ts'
import type { FeedFile } from './schema.ts'

export function* checkServe({ serve, model }: FeedFile): Generator<Finding> {
  if (serve.length > 0 && model.kind === 'duplicate')
    yield {
      path: ['serve'],
      message: 'needs a key, by which rows are told apart, and model duplicate has none',
      hint: 'Take serve out, or choose another model.',
    }
  for (const [at, { postgres }] of serve.entries()) {
    const { way, apart, database, table } = postgres
    const path = ['serve', at, 'postgres']
    if (way === 'apart' && !apart)
      yield {
        path: [...path, 'way'],
        message: 'builds in another Postgres, and none is named',
        hint: 'Add apart: { database: …, server: … }; docs/serving.md tells what they are.',
      }
    if (apart && (way === 'delta' || way === 'swap'))
      yield {
        path: [...path, 'apart'],
        message: `goes with way apart, not ${way}`,
        hint: 'Take it out, or set way: apart.',
      }
    if (apart?.database === database)
      yield {
        path: [...path, 'apart', 'database'],
        message: `is the database that is served: ${database}`,
        hint: 'Name one that serves no one, or take apart out and swap.',
      }
    const twin = serve.findIndex(({ postgres: one }) => one.database === database && one.table === table)
    if (twin !== at)
      yield {
        path: [...path, 'table'],
        message: `is served twice into ${database}: ${table}`,
        hint: 'Name each table once.',
      }
  }
}
