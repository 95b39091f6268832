SELECT name
FROM log_writer
WHERE tenant_id = $1 AND writer_id = $2 AND expires_at > floor(extract(epoch FROM statement_timestamp()) * 1000)::bigint
