UPDATE patch
SET rejected_in_revision_id = ?
WHERE run_id = ? AND patch_id = ? AND tenant_id = ?
