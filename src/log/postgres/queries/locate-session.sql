SELECT tier, head_seq
FROM log_session
WHERE tenant_id = $1 AND session_id = $2
