-- The oldest due turn first; the partial index holds no run that has nothing to say.
SELECT run_id, app_id, objective, status, close_reason, close_message, head_revision_id, created_at, updated_at, paused, last_seq, open_work, fact_seq, seen_seq, turn_owner, turn_epoch, turn_expires_at, turn_applied_epoch, turn_failures, turn_not_before, turn_due_at
FROM run
WHERE tenant_id = ? AND app_id = ? AND turn_due_at <= ? AND turn_due_at IS NOT NULL AND paused = 0
ORDER BY turn_due_at
LIMIT ?
