UPDATE work_item
SET dependents = ?
WHERE number = ? AND tenant_id = ?
