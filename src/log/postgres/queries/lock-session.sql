SELECT tier, epoch, head_seq, head_hash, closed, writer_id
FROM log_session
WHERE tenant_id = $1 AND session_id = $2
FOR UPDATE
