UPDATE work_item
SET waiting_on = ?, ready = ?, updated_at = ?
WHERE number = ? AND tenant_id = ?
