SELECT work_order_id, idempotency_key, order_hash, session_id, result
FROM work_orders
WHERE tenant_id = $1 AND (work_order_id = ANY ($2::text[]) OR idempotency_key = ANY ($3::text[]))
