SELECT DISTINCT thread_id
FROM thread_messages
WHERE tenant_id = $1 AND session_id IS NULL
ORDER BY thread_id
LIMIT $2
