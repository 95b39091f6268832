UPDATE thread_messages SET begun = true, waiting = NULL
WHERE tenant_id = $1 AND thread_id = $2 AND message_id = $3 AND session_id = $4 AND position IS NOT NULL
RETURNING message_id
