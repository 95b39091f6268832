SELECT revision_id, run_id, parent_revision_id, created_by_app_id, applied_patch_ids, rejected_patch_ids, rejections, document_ref, created_at
FROM revision
WHERE run_id = ? AND revision_id = ? AND tenant_id = ?
