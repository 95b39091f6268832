DELETE FROM revision
WHERE rowid IN (SELECT rowid FROM revision WHERE run_id = @run AND tenant_id = @tenant LIMIT @chunk)
