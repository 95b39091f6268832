SELECT work_order_id, session_id, claimed_at, result
FROM work_orders
WHERE tenant_id = $1 AND (work_order_id = $2::text OR ($2::text IS NULL AND result IS NULL))
ORDER BY claimed_at
LIMIT $3
