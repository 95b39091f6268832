-- Plan: the primary key from there on.
SELECT number, line
FROM log_anchor
WHERE tenant_id = $1 AND number > $2
ORDER BY number
LIMIT $3
