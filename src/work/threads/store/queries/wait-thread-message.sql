UPDATE thread_messages SET position = NULL, session_id = NULL
WHERE tenant_id = $1 AND thread_id = $2 AND message_id = $3 AND session_id = $4 AND NOT begun AND waiting IS NOT NULL
RETURNING message_id
