/**
 * A reader in a process of its own: asks one query of a table over and over through the official client, and prints
 * what it saw as JSON, one answer a line, until its standard input ends.
 */
import { BigQuery } from '@google-cloud/bigquery'

const [apiEndpoint = '', projectId = '', location = '', query = ''] = process.argv.slice(2)
process.env.METADATA_SERVER_DETECTION = 'none'
const bigquery = new BigQuery({ projectId, location, apiEndpoint })

let ended = false
process.stdin.once('end', () => {
  ended = true
})
process.stdin.resume()

while (!ended) {
  const answer = await bigquery.query({ query }).then(
    ([rows]) => ({ row: rows[0] }),
    (error: unknown) => ({ error: error instanceof Error ? error.message : String(error) }),
  )
  process.stdout.write(`${JSON.stringify(answer)}\n`)
}
