-- All that can change of an item, many items at once. One query for every verb: a changed row is written anew as a whole.
UPDATE work_item
SET status = change.status, lease_owner = change.lease_owner, lease_expires_at = change.lease_expires_at,
    lease_epoch = change.lease_epoch, retry_count = change.retry_count, not_before = change.not_before,
    waiting_on = change.waiting_on, dependents = change.dependents, ready = change.ready, open = change.open,
    ended_by = change.ended_by, updated_at = $2::bigint
FROM unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::integer[], $9::integer[], $10::bigint[], $11::integer[],
  $12::integer[], $13::boolean[], $14::boolean[], $15::text[])
  AS change (run_id, work_id, status, lease_owner, lease_expires_at, lease_epoch, retry_count, not_before, waiting_on, dependents, ready,
    open, ended_by)
WHERE work_item.tenant_id = $1 AND work_item.run_id = change.run_id AND work_item.work_id = change.work_id
