UPDATE run
SET archived_at = ?
WHERE tenant_id = ? AND run_id = ? AND archive_ref IS NOT NULL
