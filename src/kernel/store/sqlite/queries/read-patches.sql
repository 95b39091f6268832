SELECT patch_id, run_id, author_kind, author_id, source_work_id, base_revision_id, ops, applied_in_revision_id, rejected_in_revision_id, created_at
FROM patch
WHERE run_id = ?1 AND tenant_id = ?3 AND rowid > coalesce((SELECT rowid FROM patch WHERE run_id = ?1 AND patch_id = ?2), 0)
ORDER BY rowid
LIMIT ?4
