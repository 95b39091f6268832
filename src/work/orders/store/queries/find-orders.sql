-- Two questions in one: by number, by key. As one condition with OR it read every order of the tenant. Plan: a probe of
-- the primary key or of work_orders_by_key for each.
SELECT work_order_id, idempotency_key, order_hash, session_id, result
FROM work_orders
WHERE tenant_id = $1 AND work_order_id = ANY ($2::text[])
UNION
SELECT work_order_id, idempotency_key, order_hash, session_id, result
FROM work_orders
WHERE tenant_id = $1 AND idempotency_key = ANY ($3::text[])
