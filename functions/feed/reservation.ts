/** Names of BigQuery reservations, short or in full. */

const NAME = '[a-z]([a-z0-9-]{0,62}[a-z0-9])?'
const SHORT = new RegExp(`^${NAME}$`)
const FULL = new RegExp(`^projects/[a-z][a-z0-9-]+/locations/[A-Za-z0-9-]+/reservations/${NAME}$`)

export function isReservation(text: string): boolean {
  return SHORT.test(text) || FULL.test(text)
}

/**
 * The form that a job carries; a short name is taken for a reservation of the project, where the data is.
 * docs.cloud.google.com/bigquery/docs/reference/rest/v2/Job#JobConfiguration.FIELDS.reservation
 */
export function reservationPath(
  reservation: string,
  { projectId, location }: { readonly projectId: string; readonly location: string },
): string {
  return SHORT.test(reservation)
    ? `projects/${projectId}/locations/${location}/reservations/${reservation}`
    : reservation
}

/** The short name, when it is one: then the project itself has to have it. */
export function shortReservation(reservation: string | undefined): string | undefined {
  return reservation !== undefined && SHORT.test(reservation) ? reservation : undefined
}
