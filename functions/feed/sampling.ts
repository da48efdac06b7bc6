/** From which size on a look at every value is a look at a sample. */

/**
 * Stored bytes of a snapshot. Above this a look at every value would cost a second scan of landing; a hundredth of its
 * blocks shows a column that lost its values: docs.cloud.google.com/bigquery/docs/table-sampling
 */
export const SAMPLED_BYTES = 10e9
