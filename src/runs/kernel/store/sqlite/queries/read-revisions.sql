SELECT revision_id, run_id, parent_revision_id, created_by_app_id, applied_patch_ids, rejected_patch_ids, rejections, document_ref, created_at
FROM revision
WHERE run_id = @run AND tenant_id = @tenant AND rowid > coalesce((SELECT rowid FROM revision WHERE run_id = @run AND revision_id = @after), 0)
ORDER BY rowid
LIMIT @limit
