-- Sessions whose writer is dead. Plan: the partial index of owned sessions, a probe of log_writer for each.
SELECT session.session_id
FROM log_session AS session
WHERE session.tenant_id = $1 AND session.writer_id IS NOT NULL AND NOT EXISTS (
  SELECT FROM log_writer AS writer
  WHERE writer.tenant_id = $1 AND writer.writer_id = session.writer_id
    AND writer.expires_at > floor(extract(epoch FROM statement_timestamp()) * 1000)::bigint
)
LIMIT $2
