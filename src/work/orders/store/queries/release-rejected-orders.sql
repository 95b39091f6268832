-- An order that was rejected acted nowhere: corrected, it is claimed anew under its id. With a key the same order keeps its first answer.
DELETE FROM work_orders
USING unnest($2::text[], $3::text[]) AS claim (work_order_id, order_hash)
WHERE work_orders.tenant_id = $1 AND work_orders.work_order_id = claim.work_order_id AND work_orders.work_order_id = ANY ($2::text[])
  AND (work_orders.order_hash <> claim.order_hash OR work_orders.idempotency_key IS NULL)
  AND CASE WHEN work_orders.result LIKE '{%' THEN work_orders.result::jsonb ->> 'status' END = 'rejected'
