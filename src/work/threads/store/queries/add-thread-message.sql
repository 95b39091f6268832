INSERT INTO thread_messages (tenant_id, thread_id, message_id, position, session_id, waiting, sent_at, begun)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
ON CONFLICT DO NOTHING
RETURNING message_id
