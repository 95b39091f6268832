SELECT patch_id
FROM patch
WHERE run_id = ? AND tenant_id = ? AND applied_in_revision_id IS NULL AND rejected_in_revision_id IS NULL
ORDER BY rowid
LIMIT ?
