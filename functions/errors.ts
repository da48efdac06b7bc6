/** The one error that Freshet throws on purpose: what is wrong, whether trying again helps, what to do. */

/** `input` codes are the sender's or the operator's to mend; `passing` ones mend themselves. */
export const ERROR_CODES = {
  'bad-request': 'A handler was called with a body that it does not understand.',
  'bad-config': 'The environment of the functions is incomplete or wrong.',
  'unknown-feed': 'No feed file has that name.',
  'bad-feed': 'A feed file does not say what a feed must say.',
  'bad-snapshot': 'The files of a snapshot are not what the feed describes.',
  'stale-snapshot': 'A snapshot is older than the one that the table mirrors.',
  'schema-drift': 'A table has other columns, partitions or clusters than the feed describes.',
  'foreign-target': 'The target is a table that another hand or another feed has made.',
  'would-lose': 'A publish would take away what people gave the target.',
  'job-failed': 'A BigQuery job ended with an error that another attempt will not mend.',
  'state-conflict': 'Another holder wrote the state first.',
  'no-database': 'A database that a feed is served in does not answer.',
  'bad-row': 'A row holds what the database that it is served in cannot.',
  'not-found': 'Something that a run needs is not there.',
} as const
export type ErrorCode = keyof typeof ERROR_CODES

export interface Problem {
  readonly code: ErrorCode
  /** `later`: passing trouble, worth another try. `never`: it stays wrong until somebody changes something. */
  readonly retry: 'never' | 'later'
  readonly message: string
  /** What to do about it, as one sentence. */
  readonly hint: string
}

export class FreshetError extends Error implements Problem {
  readonly code: ErrorCode
  readonly retry: 'never' | 'later'
  readonly hint: string

  constructor({
    code,
    retry = 'never',
    message,
    hint,
  }: Omit<Problem, 'retry'> & Partial<Pick<Problem, 'retry'>>) {
    super(message)
    this.name = 'FreshetError'
    this.code = code
    this.retry = retry
    this.hint = hint
  }
}
