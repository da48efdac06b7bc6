/** Resource names and their grammar (https://cloud.google.com/pubsub/docs/pubsub-basics#resource_names). */
import { status } from '@grpc/grpc-js'
import { invalid, PubSubError } from './errors.ts'

export type Kind = 'topics' | 'subscriptions' | 'schemas'

const idPattern = /^[A-Za-z][A-Za-z0-9._~%+-]{2,254}$/

/** Checks `projects/P/<kind>/ID` and returns it. */
export function parseName(kind: Kind, name: string | undefined): string {
  const [projects, project, collection, id = '', ...rest] = (name ?? '').split('/')
  const shaped = projects === 'projects' && project && collection === kind && rest.length === 0
  if (!shaped || !idPattern.test(id) || id.startsWith('goog'))
    throw invalid(`Invalid [${kind}] name: (name=${name ?? ''})`)
  return name ?? ''
}

/** Checks `projects/P` and returns it. */
export function parseProject(name: string | undefined): string {
  if (!/^projects\/[^/]+$/.test(name ?? '')) throw invalid(`Invalid project name: (name=${name ?? ''})`)
  return name ?? ''
}

/** Throws unless `name` lies in the one project that there is. */
export function requireProject(name: string, project: string): void {
  const [, other = ''] = name.split('/')
  if (other !== project)
    throw new PubSubError(
      status.NOT_FOUND,
      `Requested project not found or user does not have access to it (project=${other}). The embedded cloud's project is ${project}.`,
    )
}
