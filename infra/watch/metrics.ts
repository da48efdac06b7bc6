/** Metrics out of the structured logs of the functions: which lines count, what of them, and by which labels. */

export interface MetricSpec {
  readonly key: string
  readonly about: string
  /** Of Cloud Logging's query language: docs.cloud.google.com/logging/docs/view/logging-query-language */
  readonly filter: string
  /** Absent: the lines themselves are counted. */
  readonly value?: string
  readonly unit: string
  /** Label → the field of the line that it is taken from. */
  readonly labels: Readonly<Record<string, string>>
}

const FEED = { feed: 'jsonPayload.feed' }

/** What each metric counts of a line; `makeMetrics` adds whose lines they are. */
const LINES: readonly MetricSpec[] = [
  {
    key: 'outcomes',
    about: 'Runs and snapshots by how they ended',
    filter: 'jsonPayload.status=~"^(refreshed|unchanged|held|rejected|failed|late)$"',
    unit: '1',
    labels: { ...FEED, status: 'jsonPayload.status' },
  },
  {
    key: 'refresh-seconds',
    about: 'From the arrival of the last object to the refreshed table',
    filter: 'jsonPayload.receipt.status="refreshed" AND jsonPayload.receipt.withinSeconds>=0',
    value: 'jsonPayload.receipt.withinSeconds',
    unit: 's',
    labels: FEED,
  },
  {
    key: 'waiting-seconds',
    about: 'How long the oldest snapshot that is not served yet has waited; 0 when none waits',
    filter: 'jsonPayload.waitingSeconds>=0',
    value: 'jsonPayload.waitingSeconds',
    unit: 's',
    labels: FEED,
  },
  {
    key: 'stage-seconds',
    about: 'How long the jobs of a stage ran',
    filter: 'jsonPayload.stageSeconds>=0',
    value: 'jsonPayload.stageSeconds',
    unit: 's',
    labels: { ...FEED, stage: 'jsonPayload.stage' },
  },
  ...(
    [
      ['rows-loaded', 'Rows that a refresh brought', 'rows.loaded', '1'],
      ['rows-after', 'Rows of the table after a refresh', 'rows.after', '1'],
      ['bytes', 'Bytes that the queries of a refresh read', 'bytesProcessed', 'By'],
      ['slot-ms', 'Slot milliseconds of a refresh', 'slotMs', 'ms'],
    ] as const
  ).map(([key, about, field, unit]) => ({
    key,
    about,
    filter: `jsonPayload.receipt.status="refreshed" AND jsonPayload.receipt.${field}>=0`,
    value: `jsonPayload.receipt.${field}`,
    unit,
    labels: FEED,
  })),
]

/** `prefix` starts the names of the stack's functions, which are Cloud Run services. */
export function makeMetrics(prefix: string): readonly MetricSpec[] {
  const ours = `resource.type="cloud_run_revision" AND resource.labels.service_name=~"^${prefix}-"`
  return LINES.map(line => ({ ...line, filter: `${ours} AND ${line.filter}` }))
}
