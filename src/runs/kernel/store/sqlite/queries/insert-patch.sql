INSERT INTO patch (tenant_id, run_id, patch_id, author_kind, author_id, source_work_id, base_revision_id, ops, created_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
