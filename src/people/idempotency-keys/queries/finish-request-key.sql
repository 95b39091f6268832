UPDATE request_keys
SET status = $3, answer = $4
WHERE tenant_id = $1 AND name = $2
