SELECT work_order_id, session_id, claimed_at, result
FROM work_orders
WHERE tenant_id = $1 AND work_order_id = $2
