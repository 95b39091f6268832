SELECT seq, run_id, event_type, payload, actor_id, created_at
FROM event_log
WHERE tenant_id = $1 AND run_id = $2 AND seq > $3
ORDER BY seq
LIMIT $4
