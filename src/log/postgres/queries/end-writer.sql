WITH released AS (
  UPDATE log_session SET writer_id = NULL WHERE tenant_id = $1 AND writer_id = $2
)
DELETE FROM log_writer
WHERE tenant_id = $1 AND writer_id = $2
