UPDATE work_item
SET lease_expires_at = ?, updated_at = ?
WHERE number = ? AND tenant_id = ?
