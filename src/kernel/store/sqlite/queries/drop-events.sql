DELETE FROM event_log
WHERE run_id = ?1 AND tenant_id = ?2 AND seq IN (SELECT seq FROM event_log WHERE run_id = ?1 AND tenant_id = ?2 LIMIT ?3)
