-- Skips from run to run along the index: one seek for each run, however many items it has ready.
SELECT run_id
FROM work_item
WHERE tenant_id = ? AND capability = ? AND rank = ? AND run_id > ? AND ready = 1
ORDER BY run_id
LIMIT 1
