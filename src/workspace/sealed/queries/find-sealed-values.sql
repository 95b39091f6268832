-- Plan: the primary key, once for each tag.
SELECT tag, kind, origin, sealed, expires_at
FROM sealed_values
WHERE tenant_id = $1 AND session_id = $2 AND tag = ANY($3)
