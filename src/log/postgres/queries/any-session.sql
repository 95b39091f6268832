SELECT session_id
FROM log_session
WHERE tenant_id = $1 AND session_id = ANY($2)
LIMIT 1
