INSERT INTO budget_shares (tenant_id, pool_id, session_id, work_order_id, tokens, micro_usd, settled)
VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (tenant_id, session_id, work_order_id)
DO UPDATE SET tokens = excluded.tokens, micro_usd = excluded.micro_usd, settled = excluded.settled
