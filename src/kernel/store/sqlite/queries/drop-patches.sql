DELETE FROM patch
WHERE rowid IN (SELECT rowid FROM patch WHERE run_id = ?1 AND tenant_id = ?2 LIMIT ?3)
