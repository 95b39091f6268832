-- Closed runs that are not archived yet, the oldest first: what retention looks at.
SELECT run_id, app_id, objective, status, close_reason, close_message, head_revision_id, created_at, updated_at, paused, archived_at, archive_ref
FROM run
WHERE tenant_id = $1 AND archived_at IS NULL AND closed_at < $2
ORDER BY closed_at
LIMIT $3
