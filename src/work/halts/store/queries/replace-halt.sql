-- Ordered by a caller of a higher rank: from now on only that rank lifts it.
INSERT INTO halts (tenant_id, target, by_whom, reason, halted_at, grants)
VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (tenant_id, target) DO UPDATE
SET by_whom = excluded.by_whom, reason = excluded.reason, halted_at = excluded.halted_at, grants = excluded.grants
