UPDATE work_item
SET status = 'leased', lease_owner = ?, lease_expires_at = ?, lease_epoch = ?, ready = 0, updated_at = ?
WHERE number BETWEEN ? AND ? AND tenant_id = ?
