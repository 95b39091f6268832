SELECT revision_id, run_id, parent_revision_id, created_by_app_id, applied_patch_ids, rejected_patch_ids, rejections, document_ref, created_at
FROM revision
WHERE run_id = ?1 AND tenant_id = ?3 AND rowid > coalesce((SELECT rowid FROM revision WHERE run_id = ?1 AND revision_id = ?2), 0)
ORDER BY rowid
LIMIT ?4
