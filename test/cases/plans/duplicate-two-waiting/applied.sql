-- stage append
-- copy {"sourceTable":{"projectId":"shop-prod","datasetId":"freshet_landing","tableId":"events__dccf7da3980b300c_391552c099c101b1"},"destinationTable":{"projectId":"shop-prod","datasetId":"freshet_staging","tableId":"events"},"createDisposition":"CREATE_NEVER","writeDisposition":"WRITE_APPEND"}

-- stage append
-- copy {"sourceTable":{"projectId":"shop-prod","datasetId":"freshet_landing","tableId":"events__dccf7da3980b300c_cc11310c456c3690"},"destinationTable":{"projectId":"shop-prod","datasetId":"freshet_staging","tableId":"events"},"createDisposition":"CREATE_NEVER","writeDisposition":"WRITE_APPEND"}
