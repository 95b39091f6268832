SELECT number, work_id, run_id, capability, status, lease_owner, lease_expires_at, lease_epoch, retry_count, max_retries, not_before, waiting_on, dependents, ready, ended_by, objective, input
FROM work_item
WHERE tenant_id = ? AND capability = ? AND rank = ? AND run_id = ? AND ready = 1
ORDER BY number
LIMIT ? OFFSET ?
