DELETE FROM event_log
WHERE run_id = @run AND tenant_id = @tenant AND seq IN (SELECT seq FROM event_log WHERE run_id = @run AND tenant_id = @tenant LIMIT @chunk)
