SELECT key_id, key_sha256, caller_id, scope, note, created_at, created_by, expires_at, revoked_at, revoked_by
FROM api_keys
WHERE tenant_id = $1 AND ($2::text IS NULL OR key_id = $2)
ORDER BY created_at, key_id
