UPDATE work_item
SET dependents = ?
WHERE run_id = ? AND work_id = ? AND tenant_id = ?
