DELETE FROM work_item
WHERE number IN (SELECT number FROM work_item WHERE run_id = ?1 AND tenant_id = ?2 LIMIT ?3)
