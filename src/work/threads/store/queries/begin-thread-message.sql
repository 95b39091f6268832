UPDATE thread_messages SET session_id = $4, position = $5
WHERE tenant_id = $1 AND thread_id = $2 AND message_id = $3 AND session_id IS NULL
  AND NOT EXISTS (SELECT 1 FROM thread_messages WHERE tenant_id = $1 AND thread_id = $2 AND position = $5)
RETURNING message_id
