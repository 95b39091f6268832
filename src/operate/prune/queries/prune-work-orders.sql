-- Plan: work_orders_finished from its first entry up to $2, then each row where it lies.
WITH gone AS (
  DELETE FROM work_orders
  WHERE ctid = ANY (ARRAY(SELECT ctid FROM work_orders WHERE tenant_id = $1 AND result IS NOT NULL AND claimed_at < $2 LIMIT $3))
  RETURNING 1
)
SELECT count(*) FROM gone
