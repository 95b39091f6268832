-- Made if it is not there, locked in any case: two processes cannot both take the last of it.
INSERT INTO budget_pools (tenant_id, pool_id, tokens, micro_usd)
VALUES ($1, $2, 0, 0)
ON CONFLICT (tenant_id, pool_id) DO UPDATE SET tokens = budget_pools.tokens
RETURNING tokens, micro_usd
