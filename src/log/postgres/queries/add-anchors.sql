INSERT INTO log_anchor (tenant_id, number, line, session_id, seq)
SELECT $1, number, line, session_id, seq
FROM unnest($2::bigint[], $3::text[], $4::text[], $5::bigint[]) AS said (number, line, session_id, seq)
