UPDATE api_keys
SET revoked_at = $3, revoked_by = $4
WHERE tenant_id = $1 AND key_id = $2 AND revoked_at IS NULL
RETURNING key_id
