SELECT patch_id, run_id, author_kind, author_id, source_work_id, base_revision_id, ops, applied_in_revision_id, rejected_in_revision_id, created_at
FROM patch
WHERE run_id = @run AND tenant_id = @tenant AND rowid > coalesce((SELECT rowid FROM patch WHERE run_id = @run AND patch_id = @after), 0)
ORDER BY rowid
LIMIT @limit
