DELETE FROM thread_messages
WHERE tenant_id = $1 AND thread_id = $2 AND message_id = $3 AND session_id IS NULL
RETURNING message_id
