-- Closed runs that are not archived yet, the oldest first: what retention looks at.
SELECT run_id, app_id, objective, status, close_reason, close_message, head_revision_id, created_at, updated_at, paused, archived_at, archive_ref
FROM run
WHERE tenant_id = ? AND status = 'closed' AND archived_at IS NULL AND updated_at < ?
ORDER BY updated_at
LIMIT ?
