INSERT INTO request_keys (tenant_id, name, request_hash, subject, claimed_at)
VALUES ($1, $2, $3, $4, $5)
ON CONFLICT DO NOTHING
RETURNING name
