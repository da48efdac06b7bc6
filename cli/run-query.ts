/** Runs one GoogleSQL statement through the official client and gives its rows as they came over the wire. */
import { type Field, parseRow, type Value } from './cell.ts'
import { type CloudAddress, makeBigQuery } from './clients.ts'

export interface QueryResult {
  readonly fields: readonly Field[]
  readonly rows: ReadonlyArray<Readonly<Record<string, Value>>>
  /** `SELECT`, `CREATE_TABLE` and so on. */
  readonly statement: string
}

const PAGE = 10_000

/** Rejects with BigQuery's own words when the statement is wrong. */
export async function runQuery(
  cloud: CloudAddress,
  sql: string,
  maxRows = Number.POSITIVE_INFINITY,
): Promise<QueryResult> {
  const [job] = await makeBigQuery(cloud).createQueryJob({ query: sql })
  const rows: unknown[] = []
  let fields: readonly Field[] = []
  let pageToken: string | undefined
  do {
    const maxResults = Math.min(PAGE, maxRows - rows.length)
    // Unparsed, since the client's own rows lose big integers and NULLs in structs.
    const [page, , answer] = await job.getQueryResults({
      autoPaginate: false,
      skipParsing: true,
      maxResults,
      ...(pageToken !== undefined && { pageToken }),
    })
    const { schema, pageToken: next } = (answer ?? {}) as Answer
    fields = schema?.fields ?? fields
    rows.push(...page)
    pageToken = next
  } while (pageToken !== undefined && rows.length < maxRows)
  // What came back when the job was made is from before it ran.
  const [metadata] = fields.length === 0 ? await job.getMetadata() : [job.metadata]
  const statement = metadata?.statistics?.query?.statementType ?? 'SELECT'
  return { fields, rows: rows.map(row => parseRow(fields, row)), statement }
}

/** The part of jobs.getQueryResults that counts here. */
interface Answer {
  readonly schema?: { readonly fields?: readonly Field[] }
  readonly pageToken?: string
}
