/** DuckDB macros and session settings that translated SQL counts on. */

/** Run once per connection, before anything else. */
export const SESSION_SETTINGS: readonly string[] = [
  "SET TimeZone = 'UTC'",
  // Exactly BigQuery's order of NULLs: first in ascending, last in descending.
  "SET default_null_order = 'nulls_first_on_asc_last_on_desc'",
]

/** Run once per database. */
export const MACROS: readonly string[] = []
