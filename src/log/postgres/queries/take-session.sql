UPDATE log_session
SET writer_id = $3, epoch = epoch + 1
WHERE tenant_id = $1 AND session_id = $2
RETURNING epoch
