/** The columns that segments of a table with changes have beside its own. BigQuery forbids such names for columns. */

/** The position of a row, a text; '' or absent where the row came another way. See position.ts. */
export const positionColumn = '_CHANGE_SEQUENCE_NUMBER'
/** Whether the change is a delete. */
export const deletedColumn = '_CHANGE_TYPE'
