-- Plan: work_open, a run at a time, and work_number from the first of each block to its last.
SELECT item.number, item.work_id, item.run_id, item.capability, item.status, item.lease_owner, item.lease_expires_at, item.lease_epoch, item.retry_count, item.max_retries, item.not_before, item.waiting_on, item.dependents, item.ready, item.ended_by
FROM work_open AS open
CROSS JOIN LATERAL (
  SELECT number, work_id, run_id, capability, status, lease_owner, lease_expires_at, lease_epoch, retry_count, max_retries, not_before, waiting_on, dependents, ready, ended_by
  FROM work_item
  WHERE number >= open.block << 8 AND number < (open.block + 1) << 8 AND tenant_id = $1 AND run_id = open.run_id
    AND status IN ('queued', 'leased')
  OFFSET 0
) AS item
WHERE open.tenant_id = $1 AND open.run_id = ANY ($2::text[])
ORDER BY item.number
