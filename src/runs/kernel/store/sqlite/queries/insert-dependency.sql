INSERT INTO work_dependency (tenant_id, run_id, depends_on, work_id)
VALUES (?, ?, ?, ?)
