-- Locks those of these runs that no other transaction has locked.
SELECT json_build_array(run_id, app_id, objective, status, close_reason, close_message, head_revision_id, created_at, updated_at, paused, last_seq, open_work, fact_seq, seen_seq, turn_owner, turn_epoch, turn_expires_at, turn_applied_epoch, turn_failures, turn_not_before, turn_due_at)::text
FROM run
WHERE tenant_id = $1 AND run_id = ANY ($2::text[]) AND NOT paused AND status = 'active'
FOR NO KEY UPDATE SKIP LOCKED
