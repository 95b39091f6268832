DELETE FROM revision
WHERE rowid IN (SELECT rowid FROM revision WHERE run_id = ?1 AND tenant_id = ?2 LIMIT ?3)
