-- A stretch of one run's events that differ in nothing but their payloads, which come as one JSON array.
INSERT INTO event_log (tenant_id, run_id, seq, event_type, payload, actor_id, created_at)
SELECT ?, ?, ? + key, ?, value, ?, ?
FROM json_each(?)
