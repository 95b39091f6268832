-- One of them, or all where none is named.
DELETE FROM halts
WHERE tenant_id = $1 AND ($2::text IS NULL OR target = $2)
RETURNING target
