UPDATE run
SET archived_at = floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint
WHERE tenant_id = $1 AND run_id = $2 AND archive_ref IS NOT NULL
