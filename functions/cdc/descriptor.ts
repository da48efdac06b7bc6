/** The protobuf message that a feed's rows are: its columns, and the two pseudo-columns that make them changes. */
import type { ChangeFeed } from '../feed/changes/change-feed.ts'
import { wireColumns } from '../feed/changes/change-feed.ts'
import type { WireDescriptor, WireField } from '../gcp/change-ports.ts'
import { makeValueEncoder } from './encode-value.ts'

/** docs.cloud.google.com/bigquery/docs/change-data-capture#specify_changes_to_existing_records */
export const CHANGE_TYPE = '_CHANGE_TYPE'
export const SEQUENCE_NUMBER = '_CHANGE_SEQUENCE_NUMBER'

const PROTO_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/

/** Names that protobuf does not take travel in base64, with an option: docs…/write-api-grpc#flexible_column_names */
function nameOf(column: string): Pick<WireField, 'name' | 'columnName'> {
  if (PROTO_NAME.test(column)) return { name: column }
  const coded = Buffer.from(column).toString('base64').replaceAll('=', '').replaceAll(/[+/]/g, '_')
  return { name: `field_${coded}`, columnName: column }
}

/** Numbers start at 1, key columns first; the pseudo-columns are the last two. */
export function makeDescriptor(feed: ChangeFeed): WireDescriptor {
  const columns = wireColumns(feed).map(({ name, type }, at): WireField => {
    const { proto } = makeValueEncoder(type, feed.source.format.kind)
    return { ...nameOf(name), number: at + 1, label: 'LABEL_OPTIONAL', type: proto }
  })
  const pseudo = [SEQUENCE_NUMBER, CHANGE_TYPE].map(
    (name, at): WireField => ({
      name,
      number: columns.length + 1 + at,
      label: 'LABEL_REQUIRED',
      type: 'TYPE_STRING',
    }),
  )
  return { name: 'Change', fields: [...columns, ...pseudo] }
}
