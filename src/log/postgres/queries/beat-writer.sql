INSERT INTO log_writer (tenant_id, writer_id, name, expires_at)
VALUES ($1, $2, $3, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint + $4)
ON CONFLICT (tenant_id, writer_id) DO UPDATE SET expires_at = excluded.expires_at
