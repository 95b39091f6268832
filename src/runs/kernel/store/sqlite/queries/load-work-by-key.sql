SELECT number, work_id, run_id, capability, status, lease_owner, lease_expires_at, lease_epoch, retry_count, max_retries, not_before, waiting_on, dependents, ready, ended_by
FROM work_item
WHERE run_id = ? AND idempotency_key = ? AND tenant_id = ?
