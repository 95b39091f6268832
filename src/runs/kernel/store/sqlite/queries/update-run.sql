UPDATE run
SET status = ?, close_reason = ?, close_message = ?, head_revision_id = ?, updated_at = ?, paused = ?, last_seq = ?, open_work = ?,
    fact_seq = ?, seen_seq = ?, turn_owner = ?, turn_epoch = ?, turn_expires_at = ?, turn_applied_epoch = ?, turn_failures = ?,
    turn_not_before = ?, turn_due_at = ?
WHERE tenant_id = ? AND run_id = ?
