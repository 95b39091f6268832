-- Writers that ended without a word, a day after their time ran out. Their sessions are free without them: who has no row is dead.
DELETE FROM log_writer
WHERE tenant_id = $1 AND expires_at < floor(extract(epoch FROM statement_timestamp()) * 1000)::bigint - 86400000
