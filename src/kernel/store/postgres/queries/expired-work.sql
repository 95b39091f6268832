SELECT number, work_id, run_id, capability, status, lease_owner, lease_expires_at, lease_epoch, retry_count, max_retries, not_before, waiting_on, dependents, ready, ended_by
FROM work_item
WHERE tenant_id = $1 AND status = 'leased' AND lease_expires_at <= $2 AND run_id = ANY ($4::text[])
ORDER BY lease_expires_at
LIMIT $3
