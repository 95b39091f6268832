UPDATE work_item
SET waiting_on = ?, ready = ?, updated_at = ?
WHERE run_id = ? AND work_id = ? AND tenant_id = ?
