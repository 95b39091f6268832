INSERT INTO work_leased (tenant_id, lease_expires_at, run_id, numbers)
SELECT $1, lease_expires_at, run_id, numbers::bigint[]
FROM unnest($2::bigint[], $3::text[], $4::text[]) AS made (lease_expires_at, run_id, numbers)
