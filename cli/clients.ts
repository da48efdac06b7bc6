/** The official clients, pointed at a running embedded cloud. */
import { BigQuery } from '@google-cloud/bigquery'
import { PubSub } from '@google-cloud/pubsub'
import { Storage } from '@google-cloud/storage'

// Nobody asks for credentials here; without this the clients look for a metadata server first.
process.env.METADATA_SERVER_DETECTION ??= 'none'

/** Where the four services of an embedded cloud answer. */
export interface CloudAddress {
  readonly project: string
  readonly location: string
  readonly urls: {
    readonly storage: string
    readonly bigquery: string
    readonly pubsub: string
    readonly workflows: string
  }
}

export function makeStorage({ project, urls }: CloudAddress): Storage {
  return new Storage({ projectId: project, apiEndpoint: urls.storage })
}

export function makeBigQuery({ project, location, urls }: CloudAddress): BigQuery {
  return new BigQuery({ projectId: project, location, apiEndpoint: urls.bigquery })
}

/** Any endpoint that is not Google's makes this client leave out credentials and encryption. */
export function makePubSub({ project, urls }: CloudAddress): PubSub {
  return new PubSub({ projectId: project, apiEndpoint: new URL(urls.pubsub).host })
}
