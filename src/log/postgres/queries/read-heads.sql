SELECT session_id, epoch, writer_id, head_seq, head_hash
FROM log_session
WHERE tenant_id = $1 AND session_id = ANY ($2::text[])
