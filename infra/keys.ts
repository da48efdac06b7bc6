/** A key of one's own: the agents of the services that encrypt with it may do so. */
import * as gcp from '@pulumi/gcp'
import * as pulumi from '@pulumi/pulumi'
import type { Services } from './services.ts'
import type { Stack } from './stack.ts'

const ROLE = 'roles/cloudkms.cryptoKeyEncrypterDecrypter'

/** `grants` is what has to be there before anything is encrypted; empty without a key. */
export class Keys extends pulumi.ComponentResource {
  readonly grants: pulumi.Resource[]

  constructor(
    { settings: { kmsKey, project } }: Stack,
    { storageAgent, pubsubAgent }: Services,
    opts: pulumi.ComponentResourceOptions,
  ) {
    super('freshet:Keys', 'keys', {}, opts)
    const bigquery = gcp.bigquery.getDefaultServiceAccountOutput({ project }, { parent: this }).member
    const agents = { storage: storageAgent, pubsub: pubsubAgent, bigquery }
    this.grants =
      kmsKey === undefined
        ? []
        : Object.entries(agents).map(
            ([name, member]) =>
              new gcp.kms.CryptoKeyIAMMember(
                `key-${name}`,
                { cryptoKeyId: kmsKey, role: ROLE, member },
                { parent: this },
              ),
          )
    this.registerOutputs({})
  }
}
