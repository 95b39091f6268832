-- The payloads are one text, cut where a character stands that JSON never holds: they need no other quoting.
INSERT INTO event_log (tenant_id, run_id, seq, lines, event_type, payload, actor_id, created_at)
SELECT $1, run_id, seq, lines, event_type, payload, actor_id, $2::bigint
FROM unnest($3::text[], $4::bigint[], $5::integer[], $6::text[], string_to_array($7, E'\x1e'), $8::text[])
  AS made (run_id, seq, lines, event_type, payload, actor_id)
