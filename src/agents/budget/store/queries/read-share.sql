SELECT pool_id, tokens, micro_usd, settled
FROM budget_shares
WHERE tenant_id = $1 AND session_id = $2 AND work_order_id = $3
FOR UPDATE
