INSERT INTO revision (tenant_id, run_id, revision_id, parent_revision_id, created_by_app_id, applied_patch_ids, rejected_patch_ids, rejections, document_ref, created_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
