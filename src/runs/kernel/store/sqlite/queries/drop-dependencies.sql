DELETE FROM work_dependency
WHERE run_id = @run AND tenant_id = @tenant AND depends_on IN (SELECT depends_on FROM work_dependency WHERE run_id = @run AND tenant_id = @tenant LIMIT @chunk)
