SELECT work_id, run_id, capability, objective, input, depends_on, status, lease_owner, lease_expires_at, lease_epoch, retry_count, max_retries, -rank AS priority, not_before, idempotency_key, created_at, updated_at
FROM work_item
WHERE run_id = ? AND open = 1 AND tenant_id = ?
ORDER BY number
LIMIT ?
