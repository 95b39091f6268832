DELETE FROM patch
WHERE rowid IN (SELECT rowid FROM patch WHERE run_id = @run AND tenant_id = @tenant LIMIT @chunk)
