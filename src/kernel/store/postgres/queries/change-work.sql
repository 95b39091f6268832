-- All that can change of an item, many items at once. One query for every verb: a changed row is written anew as a whole.
-- Written as an insert that always finds its row: each is then reached by the primary key, whatever the planner knows of the
-- table. A plain UPDATE read all of a run for every item of a batch where there were no statistics yet.
INSERT INTO work_item (tenant_id, run_id, work_id, capability, objective, depends_on, status, lease_owner, lease_expires_at, lease_epoch,
  retry_count, max_retries, rank, not_before, waiting_on, dependents, ready, open, ended_by, created_at, updated_at)
SELECT $1, run_id, work_id, '', '', '[]', status, lease_owner, lease_expires_at, lease_epoch,
  retry_count, 0, 0, not_before, waiting_on, dependents, ready, open, ended_by, $2::bigint, $2::bigint
FROM unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::integer[], $9::integer[], $10::bigint[], $11::integer[],
  $12::integer[], $13::boolean[], $14::boolean[], $15::text[])
  AS change (run_id, work_id, status, lease_owner, lease_expires_at, lease_epoch, retry_count, not_before, waiting_on, dependents, ready,
    open, ended_by)
ON CONFLICT (tenant_id, run_id, work_id) DO UPDATE
SET status = excluded.status, lease_owner = excluded.lease_owner, lease_expires_at = excluded.lease_expires_at,
    lease_epoch = excluded.lease_epoch, retry_count = excluded.retry_count, not_before = excluded.not_before,
    waiting_on = excluded.waiting_on, dependents = excluded.dependents, ready = excluded.ready, open = excluded.open,
    ended_by = excluded.ended_by, updated_at = excluded.updated_at
