-- The items of each run from the lowest id on, and no more than $4 of them. Plan: the primary key from there.
SELECT json_build_array(item.number, item.work_id, item.run_id, item.capability, item.status, item.lease_owner, item.lease_expires_at, item.lease_epoch, item.retry_count, item.max_retries, item.not_before, item.waiting_on, item.dependents, item.ready, item.ended_by)::text
FROM unnest($2::text[], $3::text[], $4::integer[]) AS named (run_id, lowest, most)
CROSS JOIN LATERAL (
  SELECT number, work_id, run_id, capability, status, lease_owner, lease_expires_at, lease_epoch, retry_count, max_retries, not_before, waiting_on, dependents, ready, ended_by FROM work_item
  WHERE tenant_id = $1 AND run_id = named.run_id AND work_id >= named.lowest
  ORDER BY work_id
  LIMIT named.most
) AS item
