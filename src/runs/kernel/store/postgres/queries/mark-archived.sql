UPDATE run
SET archive_ref = $3
WHERE tenant_id = $1 AND run_id = $2 AND status = 'closed' AND archive_ref IS NULL
RETURNING run_id
