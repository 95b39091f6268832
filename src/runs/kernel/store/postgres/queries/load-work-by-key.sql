-- Plan: a probe of work_key for each.
SELECT item.number, item.work_id, item.run_id, item.capability, item.status, item.lease_owner, item.lease_expires_at, item.lease_epoch, item.retry_count, item.max_retries, item.not_before, item.waiting_on, item.dependents, item.ready, item.ended_by, named.key
FROM unnest($2::text[], $3::text[]) AS named (run_id, key)
CROSS JOIN LATERAL (
  SELECT number, work_id, run_id, capability, status, lease_owner, lease_expires_at, lease_epoch, retry_count, max_retries, not_before, waiting_on, dependents, ready, ended_by
  FROM work_item
  WHERE tenant_id = $1 AND run_id = named.run_id AND idempotency_key = named.key
  OFFSET 0
) AS item
