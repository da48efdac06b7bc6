/** Every way in which Cloud Storage says no, with the status, reason and text that Google sends. */

export class StorageError extends Error {
  readonly status: number
  readonly reason: string
  readonly location: string | undefined

  /** `location` names the header or parameter at fault, as `header:If-Match` or `parameter:maxResults`. */
  constructor(status: number, reason: string, message: string, location?: string) {
    super(message)
    this.status = status
    this.reason = reason
    this.location = location
  }
}

export const bucketNotFound = () => new StorageError(404, 'notFound', 'The specified bucket does not exist.')

export const objectNotFound = (bucket: string, name: string, generation?: string) =>
  new StorageError(404, 'notFound', `No such object: ${bucket}/${name}${generation ? `#${generation}` : ''}`)

export const bucketExists = () =>
  new StorageError(
    409,
    'conflict',
    'Your previous request to create the named bucket succeeded and you already own it.',
  )

export const bucketNotEmpty = () =>
  new StorageError(409, 'conflict', 'The bucket you tried to delete is not empty.')

export const conditionNotMet = () =>
  new StorageError(
    412,
    'conditionNotMet',
    'At least one of the pre-conditions you specified did not hold.',
    'header:If-Match',
  )

export const notModified = () => new StorageError(304, 'notModified', 'Not Modified', 'header:If-None-Match')

export const invalid = (message: string, location?: string) =>
  new StorageError(400, 'invalid', message, location)

export const required = (message: string, location?: string) =>
  new StorageError(400, 'required', message, location)

export const rangeNotSatisfiable = () =>
  new StorageError(416, 'requestedRangeNotSatisfiable', 'Request range not satisfiable')

/** For what Google serves and this server does not: 400, because clients retry a 501 or wait on it. */
export const unsupported = (what: string) =>
  new StorageError(400, 'notImplemented', `The embedded Cloud Storage does not support ${what}.`)
