SELECT seq, run_id, event_type, payload, actor_id, created_at
FROM event_log
WHERE run_id = ? AND seq > ? AND tenant_id = ?
ORDER BY seq
LIMIT ?
