SELECT request_hash, subject, claimed_at, status, answer
FROM request_keys
WHERE tenant_id = $1 AND name = $2
