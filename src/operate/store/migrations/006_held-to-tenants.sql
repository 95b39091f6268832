-- A role that is bound to a tenant sees that tenant's rows alone (src/store/postgres/migrate.ts).
SELECT writ_hold_to_tenant('work_order_numbers');
SELECT writ_hold_to_tenant('budget_shares');
SELECT writ_hold_to_tenant('budget_pools');
SELECT writ_hold_to_tenant('work_orders');
SELECT writ_hold_to_tenant('tool_pins');
SELECT writ_hold_to_tenant('halts');
SELECT writ_hold_to_tenant('api_keys');
SELECT writ_hold_to_tenant('request_keys');
SELECT writ_hold_to_tenant('rate_buckets');
SELECT writ_hold_to_tenant('approvals');
SELECT writ_hold_to_tenant('kept_texts');
