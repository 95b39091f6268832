INSERT INTO halts (tenant_id, target, by_whom, reason, halted_at, grants)
VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT DO NOTHING
