-- Plan: work_dependency from each item on, then a probe of the primary key for each that waits on it.
SELECT item.number, item.work_id, item.run_id, item.capability, item.status, item.lease_owner, item.lease_expires_at, item.lease_epoch, item.retry_count, item.max_retries, item.not_before, item.waiting_on, item.dependents, item.ready, item.ended_by, edge.depends_on
FROM unnest($2::text[], $3::text[]) AS named (run_id, work_id)
CROSS JOIN LATERAL (
  SELECT run_id, depends_on, work_id FROM work_dependency
  WHERE tenant_id = $1 AND run_id = named.run_id AND depends_on = named.work_id
  OFFSET 0
) AS edge
CROSS JOIN LATERAL (
  SELECT number, work_id, run_id, capability, status, lease_owner, lease_expires_at, lease_epoch, retry_count, max_retries, not_before, waiting_on, dependents, ready, ended_by
  FROM work_item
  WHERE tenant_id = $1 AND run_id = edge.run_id AND work_id = edge.work_id
  OFFSET 0
) AS item
ORDER BY item.number
