SELECT session_id, shadows
FROM session_catalog
WHERE tenant_id = $1 AND shadows IS NOT NULL AND ($2::text IS NULL OR started_at >= $2)
ORDER BY started_at, session_id
