-- Plan: the primary key, over the uses of one link.
SELECT count(*)::int, (count(*) FILTER (WHERE work_order_id = $3))::int
FROM grant_uses
WHERE tenant_id = $1 AND link_hash = $2
