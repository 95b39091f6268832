UPDATE log_session
SET writer_id = NULL
WHERE tenant_id = $1 AND session_id = $2 AND writer_id = $3 AND epoch = $4
