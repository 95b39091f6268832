-- In the order of the arrays: their place becomes their number, since rows come out of them in that order and nothing sorts or
-- joins them. An array of one value counts for all items, where there must be one, and is looked at once; an empty array is none.
-- What a claim of the same transaction took is leased from the start.
WITH made AS (
  INSERT INTO work_item (tenant_id, run_id, work_id, capability, objective, input, depends_on, status, lease_owner, lease_expires_at,
    lease_epoch, retry_count, max_retries, rank, not_before, idempotency_key, waiting_on, dependents, ready, ended_by, created_at, updated_at)
  SELECT $1, coalesce(run_id, (SELECT ($3::text[])[1])), work_id, coalesce(capability, (SELECT ($5::text[])[1])), objective, input,
    coalesce(depends_on, (SELECT ($8::text[])[1])), coalesce(status, (SELECT ($9::text[])[1])), lease_owner, lease_expires_at,
    coalesce(lease_epoch, (SELECT ($12::integer[])[1])), 0, coalesce(max_retries, (SELECT ($13::integer[])[1])), coalesce(rank, (SELECT ($14::integer[])[1])),
    not_before, idempotency_key, coalesce(waiting_on, (SELECT ($17::integer[])[1])), coalesce(dependents, (SELECT ($18::integer[])[1])),
    coalesce(ready, (SELECT ($19::boolean[])[1])), ended_by, $2::bigint, $2::bigint
  FROM unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::bigint[], $12::integer[],
    $13::integer[], $14::integer[], $15::bigint[], $16::text[], $17::integer[], $18::integer[], $19::boolean[], $20::text[])
    AS made (run_id, work_id, capability, objective, input, depends_on, status, lease_owner, lease_expires_at, lease_epoch,
      max_retries, rank, not_before, idempotency_key, waiting_on, dependents, ready, ended_by)
  RETURNING number, run_id, capability, rank, status, lease_expires_at, ready, waiting_on, not_before
),
opened AS (
  INSERT INTO work_open AS open (tenant_id, run_id, block, items)
  SELECT $1, run_id, number >> 8, count(*) FROM made WHERE status IN ('queued', 'leased') GROUP BY 3, 2
  ON CONFLICT (tenant_id, run_id, block) DO UPDATE SET items = open.items + excluded.items
),
delayed AS (
  INSERT INTO work_delayed (tenant_id, not_before, number, run_id)
  SELECT $1, not_before, number, run_id FROM made WHERE status = 'queued' AND NOT ready AND waiting_on = 0
),
watched AS (
  INSERT INTO work_leased (tenant_id, lease_expires_at, run_id, numbers)
  SELECT $1, lease_expires_at, run_id, array_agg(number) FROM made WHERE status = 'leased' GROUP BY lease_expires_at, run_id
)
INSERT INTO work_ready (tenant_id, capability, rank, run_id, number, numbers)
SELECT $1, capability, rank, run_id, min(number), array_agg(number ORDER BY number) FROM made WHERE ready
GROUP BY number >> 7, rank, run_id, capability
