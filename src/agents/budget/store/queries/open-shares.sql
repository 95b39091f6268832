SELECT pool_id, work_order_id
FROM budget_shares
WHERE tenant_id = $1 AND session_id = $2 AND NOT settled
