/** Deploys a workflow of workflows/, byte for byte, with the addresses of the functions in its environment. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CloudAddress } from './clients.ts'
import { NAMES } from './laptop-names.ts'

const SOURCES = join(import.meta.dirname, '../workflows')

/** The official Node package has a client for executions only, so this speaks the administration API itself. */
export async function deployWorkflow(
  cloud: CloudAddress,
  name: string,
  file: string,
  userEnvVars: Record<string, string>,
): Promise<void> {
  const parent = `${cloud.urls.workflows}/v1/projects/${cloud.project}/locations/${NAMES.location}/workflows`
  const body = JSON.stringify({ sourceContents: await readFile(join(SOURCES, file), 'utf8'), userEnvVars })
  const send = (method: string, url: string) =>
    fetch(url, { method, body, headers: { 'content-type': 'application/json' } })
  const created = await send('POST', `${parent}?workflowId=${name}`)
  const answer = created.status === 409 ? await send('PATCH', `${parent}/${name}`) : created
  if (!answer.ok) throw new Error(`workflows/${file} was refused: ${await answer.text()}`)
}
