INSERT INTO document (tenant_id, sha256, content)
VALUES ($1, $2, $3)
ON CONFLICT DO NOTHING
