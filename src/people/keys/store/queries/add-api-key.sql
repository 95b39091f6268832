INSERT INTO api_keys (tenant_id, key_id, key_sha256, caller_id, scope, note, created_at, created_by, expires_at, revoked_at, revoked_by)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
