INSERT INTO halts (tenant_id, target, by_whom, reason, halted_at)
VALUES ($1, $2, $3, $4, $5)
ON CONFLICT DO NOTHING
