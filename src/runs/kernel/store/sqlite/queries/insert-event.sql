INSERT INTO event_log (tenant_id, run_id, seq, event_type, payload, actor_id, created_at)
VALUES (?, ?, ?, ?, ?, ?, ?)
