DELETE FROM work_item
WHERE number IN (SELECT number FROM work_item WHERE run_id = @run AND tenant_id = @tenant LIMIT @chunk)
