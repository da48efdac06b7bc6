/** Runs the head inspection on objects that a test gives as bytes. */

import { parseSnapshotId } from '../../functions/feed/snapshot-id.ts'
import { readHeads } from '../../functions/handlers/inspect-heads.ts'
import { makeFakeObjects } from '../support/fake-objects.ts'
import { readFeedText } from '../support/plan-case.ts'

const COLUMNS = `    id: INT64
    name: STRING
    price: FLOAT64`

export function feedText(format: string, columns = COLUMNS): string {
  return `name: sales
source:
  path: sales/{snapshot}/*
  complete: { marker: "sales/{snapshot}/_DONE" }
  ${format.replaceAll('\n', '\n  ')}
table:
  name: shop.sales
  columns:
${columns}
model: { kind: unique, key: [id], sequence: { from: snapshot, as: seen } }
`
}

/** The reason, without the hint; `undefined` when the files are good. */
export async function findReason(
  feed: string,
  ...contents: readonly (string | Buffer)[]
): Promise<string | undefined> {
  const objects = makeFakeObjects()
  const id = parseSnapshotId('1', 'integer')
  if (id === undefined) throw new Error('1 is an integer')
  const files = contents.map((content, at) => objects.put('inbox', `sales/1/f${at}`, content))
  const found = await readHeads(objects, readFeedText(feed), {
    id,
    bucket: 'inbox',
    files,
    arrivedAt: '',
  })
  return found.kind === 'problem' ? found.reason : undefined
}
