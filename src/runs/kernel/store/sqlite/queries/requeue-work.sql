UPDATE work_item
SET status = 'queued', lease_owner = NULL, lease_expires_at = NULL, retry_count = ?, not_before = ?, ready = ?, updated_at = ?
WHERE number = ? AND tenant_id = ?
