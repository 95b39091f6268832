SELECT patch_id, run_id, author_kind, author_id, source_work_id, base_revision_id, ops, applied_in_revision_id, rejected_in_revision_id, created_at
FROM patch
WHERE tenant_id = $1 AND run_id = $2 AND patch_id = $3
