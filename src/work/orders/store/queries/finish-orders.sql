UPDATE work_orders
SET result = finished.result
FROM unnest($2::text[], $3::text[]) AS finished (work_order_id, result)
WHERE work_orders.tenant_id = $1 AND work_orders.work_order_id = finished.work_order_id AND work_orders.work_order_id = ANY ($2::text[]) AND work_orders.result IS NULL
