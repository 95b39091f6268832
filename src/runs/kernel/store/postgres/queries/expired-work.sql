-- Plan: work_leased from $5 ms ago up to now, then a probe of work_number for each item of these runs.
SELECT item.number, item.work_id, item.run_id, item.capability, item.status, item.lease_owner, item.lease_expires_at, item.lease_epoch, item.retry_count, item.max_retries, item.not_before, item.waiting_on, item.dependents, item.ready, item.ended_by
FROM (
  SELECT DISTINCT unnest(numbers) AS number FROM work_leased
  WHERE tenant_id = $1 AND lease_expires_at > $2::bigint - $5 AND lease_expires_at <= $2 AND run_id = ANY ($4::text[])
) AS named
CROSS JOIN LATERAL (
  SELECT number, work_id, run_id, capability, status, lease_owner, lease_expires_at, lease_epoch, retry_count, max_retries, not_before, waiting_on, dependents, ready, ended_by
  FROM work_item
  WHERE number = named.number AND tenant_id = $1
  LIMIT 1
) AS item
WHERE item.status = 'leased' AND item.lease_expires_at <= $2
ORDER BY item.lease_expires_at
LIMIT $3
