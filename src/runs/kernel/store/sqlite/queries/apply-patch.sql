UPDATE patch
SET applied_in_revision_id = ?
WHERE run_id = ? AND patch_id = ? AND tenant_id = ?
