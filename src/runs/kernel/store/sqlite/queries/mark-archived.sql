UPDATE run
SET archive_ref = ?
WHERE tenant_id = ? AND run_id = ? AND status = 'closed' AND archive_ref IS NULL
