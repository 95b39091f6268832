SELECT run_id, app_id, objective, status, close_reason, close_message, head_revision_id, created_at, updated_at, paused, last_seq, open_work, fact_seq, seen_seq, turn_owner, turn_epoch, turn_expires_at, turn_applied_epoch, turn_failures, turn_not_before, turn_due_at
FROM run
WHERE tenant_id = ? AND run_id = ?
