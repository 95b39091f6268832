DELETE FROM work_orders
WHERE tenant_id = $1 AND work_order_id = $2 AND result IS NULL
