-- In order of arrival; the page begins after the named item.
SELECT work_id, run_id, capability, objective, input, depends_on, status, lease_owner, lease_expires_at, lease_epoch, retry_count, max_retries, -rank AS priority, not_before, idempotency_key, created_at, updated_at
FROM work_item
WHERE tenant_id = $1 AND run_id = $2
  AND number > coalesce((SELECT number FROM work_item WHERE tenant_id = $1 AND run_id = $2 AND work_id = $3), 0)
ORDER BY number
LIMIT $4
