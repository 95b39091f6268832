INSERT INTO sealed_values (tenant_id, session_id, tag, kind, origin, sealed, expires_at)
VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (tenant_id, session_id, tag) DO UPDATE
SET origin = excluded.origin, sealed = excluded.sealed, expires_at = excluded.expires_at
WHERE excluded.expires_at > sealed_values.expires_at
RETURNING tag
