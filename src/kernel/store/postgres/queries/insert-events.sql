-- The payloads are lines of one text: JSON as it is written here holds no line break, and needs no other quoting.
INSERT INTO event_log (tenant_id, run_id, seq, event_type, payload, actor_id, created_at)
SELECT $1, run_id, seq, event_type, payload, actor_id, $2::bigint
FROM unnest($3::text[], $4::bigint[], $5::text[], string_to_array($6, E'\n'), $7::text[]) AS made (run_id, seq, event_type, payload, actor_id)
