UPDATE work_item
SET lease_expires_at = ?, updated_at = ?
WHERE run_id = ? AND work_id = ? AND tenant_id = ?
