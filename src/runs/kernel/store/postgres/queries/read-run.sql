SELECT run_id, app_id, objective, status, close_reason, close_message, head_revision_id, created_at, updated_at, paused, archived_at, archive_ref
FROM run
WHERE tenant_id = $1 AND run_id = $2
