INSERT INTO grant_uses (tenant_id, link_hash, work_order_id, used_at)
VALUES ($1, $2, $3, $4)
ON CONFLICT DO NOTHING
RETURNING link_hash
