-- Those that are new. The others belong to another process, or will once its transaction commits, for which this waits.
INSERT INTO work_orders (tenant_id, work_order_id, idempotency_key, order_hash, claimed_at, session_id)
SELECT $1, work_order_id, idempotency_key, order_hash, $2, session_id
FROM unnest($3::text[], $4::text[], $5::text[], $6::text[]) AS claim (work_order_id, idempotency_key, order_hash, session_id)
ON CONFLICT DO NOTHING
RETURNING work_order_id
