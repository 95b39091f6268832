-- In order of arrival; the page begins after the named item.
SELECT work_id, run_id, capability, objective, input, depends_on, status, lease_owner, lease_expires_at, lease_epoch, retry_count, max_retries, -rank AS priority, not_before, idempotency_key, created_at, updated_at
FROM work_item
WHERE run_id = @run AND tenant_id = @tenant AND number > coalesce((SELECT number FROM work_item WHERE run_id = @run AND work_id = @after), 0)
ORDER BY number
LIMIT @limit
