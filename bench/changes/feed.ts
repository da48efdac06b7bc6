/** The feed that the bench sends: its rows carry no sequence, the snapshot id is it. */

/** A feed file as people write it. `path` may name the partition, as `day={partition}.parquet`. */
export function feedText(strategy: 'rewrite' | 'changed-partitions', path = '**/*.parquet'): string {
  return `name: store-attributes
source:
  path: store-attributes/{snapshot}/${path}
  snapshot: integer
  complete:
    manifest: store-attributes/{snapshot}/manifest.json
  format: parquet
table:
  name: retail.store_attributes
  columns:
    date: DATE
    product_id: INT64
    store_id: INT64
    attribute_id: INT64
    attr_value: INT64
  partition: { by: date, every: day, keep: 730 days }
  cluster: [product_id, store_id]
model:
  kind: unique
  key: [date, product_id, store_id, attribute_id]
  sequence: { from: snapshot, as: update_id }
  missing_rows: keep
refresh: { strategy: ${strategy}, within: 60 minutes }
gates: { min_rows_vs_last: 50%, duplicate_keys: hold, null_keys: reject }
`
}
