SELECT run_id, app_id, objective, status, close_reason, close_message, head_revision_id, created_at, updated_at, paused, archived_at, archive_ref
FROM run
WHERE tenant_id = $1 AND run_id < $2 AND ($3::text IS NULL OR status = $3)
ORDER BY run_id DESC
LIMIT $4
