UPDATE budget_pools
SET tokens = tokens + $3, micro_usd = micro_usd + $4
WHERE tenant_id = $1 AND pool_id = $2
