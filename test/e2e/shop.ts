/** A small feed and its snapshots, for tests that send files through the whole of Freshet. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const SHOP_FEED = `name: shop
source:
  path: shop/{snapshot}/*.ndjson
  complete: { manifest: "shop/{snapshot}/manifest.json" }
  format: ndjson
table:
  name: trade.prices
  columns: { shop: INT64, item: STRING, price: NUMERIC, since: DATE }
model:
  kind: unique
  key: [shop, item]
  sequence: { from: snapshot, as: snapshot_id }
`

export interface Row {
  readonly shop?: unknown
  readonly item?: unknown
  readonly price?: unknown
  readonly since?: unknown
}

/** A folder for one test file: a feed file and snapshot directories. */
export function makeShop() {
  const root = mkdtempSync(join(tmpdir(), 'freshet-shop-'))
  const feedFile = join(root, 'shop.yaml')
  writeFileSync(feedFile, SHOP_FEED)
  return {
    root,
    feedFile,
    feedText: SHOP_FEED,
    /** Writes the files of one snapshot and answers with its directory. */
    snapshot(id: number, files: Readonly<Record<string, string | Uint8Array>>): string {
      const dir = join(root, String(id))
      mkdirSync(dir)
      for (const [name, content] of Object.entries(files)) writeFileSync(join(dir, name), content)
      return dir
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  }
}

export const ndjson = (...rows: readonly Row[]): string =>
  rows.map(row => `${JSON.stringify(row)}\n`).join('')
