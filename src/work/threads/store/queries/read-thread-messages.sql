SELECT thread_id, message_id, position, session_id, waiting, sent_at, begun
FROM thread_messages
WHERE tenant_id = $1 AND thread_id = $2
ORDER BY position NULLS LAST, sent_at, message_id
