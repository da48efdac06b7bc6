/** Stage load: the files of each snapshot into a landing table of its own, exactly the files that were seen. */
import { type Feed, type Format, sourceColumns } from '../../feed/feed.ts'
import type { SourceFile } from '../../feed/snapshot.ts'
import { planJob, planQuery, type RunContext } from '../job.ts'
import type { JobBody, PendingSnapshot, UriList } from '../run-plan.ts'
import { landingOf, rawOf, sqlCreateLanding } from '../tables.ts'
import { planConversion, planRaw, rawColumns } from './quarantine.ts'

/** A load job takes 15 TB and 10,000 URIs: docs.cloud.google.com/bigquery/quotas#load_jobs. Some room is left. */
const MAX_BYTES = 14e12
const MAX_FILES = 10_000

function split(files: readonly SourceFile[]): SourceFile[][] {
  const parts: SourceFile[][] = []
  let bytes = Number.POSITIVE_INFINITY
  for (const file of files) {
    if (bytes + file.size > MAX_BYTES || (parts.at(-1)?.length ?? 0) >= MAX_FILES) {
      parts.push([])
      bytes = 0
    }
    parts.at(-1)?.push(file)
    bytes += file.size
  }
  return parts
}

/** Objects below `_freshet/` are Freshet's own: no feed's path may start there. */
export function planUriLists({ feed, run }: RunContext, snapshot: PendingSnapshot): UriList[] {
  return split(snapshot.files.toSorted((a, b) => (a.name < b.name ? -1 : 1))).map((files, at) => ({
    object: `_freshet/${feed.name}/${run}/${snapshot.id}-${at}.uris`,
    snapshot: snapshot.id,
    bucket: snapshot.bucket,
    files: files.map(({ name, generation }) => ({ name, generation })),
  }))
}

/** The content of the list: one URI a line. */
export const encodeUriList = ({ bucket, files }: UriList): string =>
  files.map(({ name }) => `gs://${bucket}/${name}\n`).join('')

function formatOptions(format: Format): Record<string, unknown> {
  switch (format.kind) {
    case 'parquet':
      // Off by default, and then a LIST loads as NULL without an error.
      return { sourceFormat: 'PARQUET', parquetOptions: { enableListInference: true } }
    case 'ndjson':
      return { sourceFormat: 'NEWLINE_DELIMITED_JSON' }
    case 'avro':
      return { sourceFormat: 'AVRO', useAvroLogicalTypes: true }
    case 'orc':
      return { sourceFormat: 'ORC' }
    case 'csv':
      return {
        sourceFormat: 'CSV',
        skipLeadingRows: format.header ? 1 : 0,
        fieldDelimiter: format.delimiter,
        allowQuotedNewlines: true,
        ...(format.nullText !== '' && { nullMarker: format.nullText }),
      }
  }
}

const schemaOf = (feed: Feed) => ({
  fields: sourceColumns(feed).map(({ name, type }) => fieldOf(name, type)),
})

/** The API wants a type's parameters apart from its name. */
function fieldOf(name: string, type: string): Record<string, string> {
  const [, base = type, parameters] = /^(\w+)(?:\((.*)\))?$/.exec(type) ?? []
  const [first, second] = parameters?.split(',').map(part => part.trim()) ?? []
  const field = { name, type: base, mode: 'NULLABLE' }
  if (first === undefined) return field
  if (base === 'STRING' || base === 'BYTES') return { ...field, maxLength: first }
  return { ...field, precision: first, ...(second !== undefined && { scale: second }) }
}

/** Where bad rows may pass, every readable row fits: its values are texts. The gate counts what could not be read. */
function shapeOf(feed: Feed) {
  if (feed.source.badRows === undefined) return { schema: schemaOf(feed) }
  const fields = rawColumns(feed).map(({ name, type }) => fieldOf(name, type))
  // The largest number that the API takes.
  return { schema: { fields }, maxBadRecords: 2_147_483_647 }
}

export function planLoad(context: RunContext, snapshots: readonly PendingSnapshot[]): JobBody[] {
  const { feed, warehouse } = context
  return snapshots.flatMap(snapshot => {
    const landing = landingOf(context, snapshot.id)
    const destinationTable = feed.source.badRows === undefined ? landing : rawOf(context, snapshot.id)
    const create = planQuery(context, 'load', sqlCreateLanding(feed, landing, snapshot.id))
    const loads = planUriLists(context, snapshot).map(({ object }, at) =>
      planJob(context, 'load', {
        load: {
          sourceUris: [`gs://${warehouse.inbox}/${object}`],
          fileSetSpecType: 'FILE_SET_SPEC_TYPE_NEW_LINE_DELIMITED_MANIFEST',
          destinationTable,
          createDisposition: 'CREATE_NEVER',
          // A failed load leaves nothing behind, so the first one always meets an empty table.
          writeDisposition: at === 0 ? 'WRITE_EMPTY' : 'WRITE_APPEND',
          ...shapeOf(feed),
          ...formatOptions(feed.source.format),
        },
      }),
    )
    if (feed.source.badRows === undefined) return [create, ...loads]
    return [create, planRaw(context, snapshot.id), ...loads, ...planConversion(context, snapshot.id)]
  })
}
