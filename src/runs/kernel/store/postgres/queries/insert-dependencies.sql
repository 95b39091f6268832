INSERT INTO work_dependency (tenant_id, run_id, depends_on, work_id)
SELECT $1, run_id, depends_on, work_id
FROM unnest($2::text[], $3::text[], $4::text[]) AS made (run_id, depends_on, work_id)
