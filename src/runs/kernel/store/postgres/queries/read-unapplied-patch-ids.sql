SELECT patch_id
FROM patch
WHERE tenant_id = $1 AND run_id = $2 AND applied_in_revision_id IS NULL AND rejected_in_revision_id IS NULL
ORDER BY number
LIMIT $3
