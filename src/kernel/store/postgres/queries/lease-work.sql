-- Items of one claim under one epoch. They change in place; what made them claimable goes. Rows are named by where they lie, so
-- that no planner that knows nothing of the table yet looks for them in another way. Plan: a probe of work_number for each.
WITH taken AS (
  DELETE FROM work_ready WHERE ctid = ANY ($7::tid[])
)
UPDATE work_item
SET status = 'leased', lease_owner = $3, lease_expires_at = $4::bigint, lease_epoch = $5::integer, ready = false, updated_at = $2::bigint
WHERE ctid = ANY (ARRAY(
  SELECT item.ctid FROM unnest($6::bigint[]) AS named (number)
  CROSS JOIN LATERAL (SELECT ctid FROM work_item WHERE number = named.number AND tenant_id = $1 LIMIT 1) AS item
))
