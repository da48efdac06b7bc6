/** The fixed limits of Workflows, kept here so that what runs on a laptop also deploys. */

/** https://cloud.google.com/workflows/quotas#resource_limits */
export const LIMITS = {
  sourceBytes: 128 * 1024,
  expressionCharacters: 400,
  assignments: 50,
  conditions: 50,
  branches: 10,
  concurrentBranches: 20,
  parallelNesting: 2,
  memoryBytes: 512 * 1024,
  stringBytes: 256 * 1024,
  responseBytes: 2 * 1024 * 1024,
  callDepth: 20,
  steps: 100_000,
  /** The REST reference says 32 KB for `Execution.argument`, Eventarc's pages say 512 KB: the lower holds here. */
  argumentBytes: 32 * 1024,
  environmentVariables: 20,
  environmentValueBytes: 4 * 1024,
  httpTimeoutSeconds: 1800,
  connectorTimeoutSeconds: 31_536_000,
} as const
