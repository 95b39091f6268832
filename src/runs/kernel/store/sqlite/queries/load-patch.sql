SELECT patch_id, run_id, author_id, applied_in_revision_id, rejected_in_revision_id
FROM patch
WHERE run_id = ? AND patch_id = ? AND tenant_id = ?
