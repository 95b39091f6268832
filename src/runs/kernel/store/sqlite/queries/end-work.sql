UPDATE work_item
SET status = ?, lease_owner = NULL, lease_expires_at = NULL, ready = 0, open = 0, ended_by = ?, updated_at = ?
WHERE number BETWEEN ? AND ? AND tenant_id = ?
