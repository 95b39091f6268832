UPDATE rate_buckets
SET requests = $3, tokens = $4, at_ms = $5, paused_until_ms = $6
WHERE tenant_id = $1 AND bucket_id = $2
