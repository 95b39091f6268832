-- Of these sessions, those that a living process other than this one ($3) writes. Plan: two probes of primary keys for each.
SELECT session.session_id
FROM unnest($2::text[]) AS wanted (session_id)
JOIN log_session AS session ON session.tenant_id = $1 AND session.session_id = wanted.session_id
JOIN log_writer AS writer ON writer.tenant_id = $1 AND writer.writer_id = session.writer_id
WHERE session.writer_id <> $3 AND writer.expires_at > floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint
