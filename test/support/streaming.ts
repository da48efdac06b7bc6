/** Tables to stream into, and one way to send requests of rows to them. */
import type { OpenBigQuery } from './bigquery.ts'
import { openChangeWriter, type Row, type WriterOptions } from './change-writer.ts'

let serial = 0

/** Makes dataset `d`. */
export async function openStreaming(own: OpenBigQuery) {
  await own.query('CREATE SCHEMA d')
  return {
    /** Makes a table of `d`; `columns` is what stands in the parentheses, `more` behind them. Answers its name. */
    async make(columns: string, more = ''): Promise<string> {
      const table = `d.t${++serial}`
      await own.query(`CREATE TABLE ${table} (${columns}) ${more}`)
      return table
    },
    /** Sends each list of rows as one request on one connection; without sequence numbers unless it is told. */
    async send(table: string, requests: readonly (readonly Row[])[], options: WriterOptions = {}) {
      const writer = await openChangeWriter(own.url, table, { sequenced: false, ...options })
      try {
        const answers = []
        for (const rows of requests) answers.push(await writer.send(rows))
        return answers
      } finally {
        writer.close()
      }
    },
  }
}

export type Streaming = Awaited<ReturnType<typeof openStreaming>>
