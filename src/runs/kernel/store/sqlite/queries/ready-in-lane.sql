-- Only what a ready row does not say by being ready: the rest is the same for all of them (see choose.ts).
SELECT number, work_id, lease_epoch, retry_count, max_retries, not_before, dependents, objective, input
FROM work_item
WHERE tenant_id = ? AND capability = ? AND rank = ? AND run_id = ? AND ready = 1
ORDER BY number
LIMIT ? OFFSET ?
