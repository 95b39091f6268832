-- A row holds one event or several that follow one another, and goes by the seq of its first. Plan: the primary key, back to the
-- row in which the event behind $3 lies, and from there on as far as the page goes.
SELECT log.seq + line.place - 1 AS seq, log.run_id, log.event_type, line.payload, log.actor_id, log.created_at
FROM event_log AS log
CROSS JOIN LATERAL unnest(string_to_array(log.payload, E'\n')) WITH ORDINALITY AS line (payload, place)
WHERE log.tenant_id = $1 AND log.run_id = $2
  AND log.seq >= coalesce((SELECT seq FROM event_log WHERE tenant_id = $1 AND run_id = $2 AND seq <= $3 + 1 ORDER BY seq DESC LIMIT 1), 0)
  AND log.seq + line.place - 1 > $3
ORDER BY log.seq, line.place
LIMIT $4
