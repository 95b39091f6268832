-- Plan: the partial index of unfinished orders, from there on; what has a result costs nothing.
SELECT work_order_id, session_id, claimed_at, result
FROM work_orders
WHERE tenant_id = $1 AND result IS NULL AND (claimed_at, work_order_id) > ($2, $3)
ORDER BY claimed_at, work_order_id
LIMIT $4
