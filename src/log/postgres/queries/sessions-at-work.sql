-- Of these sessions, those that a living process writes. Plan: two probes of primary keys for each.
SELECT session.session_id
FROM unnest($2::text[]) AS wanted (session_id)
CROSS JOIN LATERAL (
  SELECT session_id, writer_id FROM log_session WHERE tenant_id = $1 AND session_id = wanted.session_id OFFSET 0
) AS session
CROSS JOIN LATERAL (
  SELECT expires_at FROM log_writer WHERE tenant_id = $1 AND writer_id = session.writer_id OFFSET 0
) AS writer
WHERE writer.expires_at > floor(extract(epoch FROM statement_timestamp()) * 1000)::bigint
