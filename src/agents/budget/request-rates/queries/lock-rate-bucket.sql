-- Made full if it is not there, locked in any case. Answers the database's time with it.
INSERT INTO rate_buckets AS bucket (tenant_id, bucket_id, requests, tokens, at_ms, paused_until_ms)
VALUES ($1, $2, $3, $4, coalesce($5::float8, floor(extract(epoch FROM clock_timestamp()) * 1000)::float8), 0)
ON CONFLICT (tenant_id, bucket_id) DO UPDATE SET requests = bucket.requests
RETURNING requests, tokens, at_ms, paused_until_ms, coalesce($5::float8, floor(extract(epoch FROM clock_timestamp()) * 1000)::float8)
