-- The oldest due turn first; the partial index holds no run that has nothing to say. Plan: run_due up to now.
SELECT json_build_array(run_id, app_id, objective, status, close_reason, close_message, head_revision_id, created_at, updated_at, paused, last_seq, open_work, fact_seq, seen_seq, turn_owner, turn_epoch, turn_expires_at, turn_applied_epoch, turn_failures, turn_not_before, turn_due_at)::text
FROM run
WHERE tenant_id = $1 AND app_id = $2 AND turn_due_at IS NOT NULL AND NOT paused
  AND turn_due_at <= coalesce($3::bigint, floor(extract(epoch FROM statement_timestamp()) * 1000)::bigint)
ORDER BY turn_due_at
LIMIT $4
FOR NO KEY UPDATE SKIP LOCKED
