-- Plan: work_open from the run's first block on, and work_number from the first of each block to its last, as far as is wanted.
SELECT item.work_id, item.run_id, item.capability, item.objective, item.input, item.depends_on, item.status, item.lease_owner, item.lease_expires_at, item.lease_epoch, item.retry_count, item.max_retries, -item.rank AS priority, item.not_before, item.idempotency_key, item.created_at, item.updated_at
FROM work_open AS open
CROSS JOIN LATERAL (
  SELECT number, work_id, run_id, capability, objective, input, depends_on, status, lease_owner, lease_expires_at, lease_epoch, retry_count, max_retries, rank, not_before, idempotency_key, created_at, updated_at
  FROM work_item
  WHERE number >= open.block << 8 AND number < (open.block + 1) << 8 AND tenant_id = $1 AND run_id = open.run_id
    AND status IN ('queued', 'leased')
  ORDER BY number
) AS item
WHERE open.tenant_id = $1 AND open.run_id = $2
ORDER BY open.block, item.number
LIMIT $3
