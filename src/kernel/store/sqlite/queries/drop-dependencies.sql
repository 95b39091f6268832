DELETE FROM work_dependency
WHERE run_id = ?1 AND tenant_id = ?2 AND depends_on IN (SELECT depends_on FROM work_dependency WHERE run_id = ?1 AND tenant_id = ?2 LIMIT ?3)
