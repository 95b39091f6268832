-- Named by where they lie: with the ids as a condition every row was looked for among all of them. Plan: a probe of the primary
-- key for each.
WITH change AS MATERIALIZED (
  SELECT run.ctid AS place, change.*
  FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::boolean[], $9::bigint[], $10::integer[],
    $11::bigint[], $12::bigint[], $13::text[], $14::integer[], $15::bigint[], $16::integer[], $17::integer[], $18::bigint[], $19::bigint[])
    AS change (run_id, status, close_reason, close_message, head_revision_id, updated_at, paused, last_seq, open_work, fact_seq, seen_seq,
      turn_owner, turn_epoch, turn_expires_at, turn_applied_epoch, turn_failures, turn_not_before, turn_due_at)
  CROSS JOIN LATERAL (SELECT ctid FROM run WHERE tenant_id = $1 AND run_id = change.run_id LIMIT 1) AS run
)
UPDATE run
SET status = change.status, close_reason = change.close_reason, close_message = change.close_message,
    head_revision_id = change.head_revision_id, updated_at = change.updated_at, paused = change.paused,
    last_seq = change.last_seq, open_work = change.open_work, fact_seq = change.fact_seq, seen_seq = change.seen_seq,
    turn_owner = change.turn_owner, turn_epoch = change.turn_epoch, turn_expires_at = change.turn_expires_at,
    turn_applied_epoch = change.turn_applied_epoch, turn_failures = change.turn_failures,
    turn_not_before = change.turn_not_before, turn_due_at = change.turn_due_at
FROM change
WHERE run.ctid = change.place
