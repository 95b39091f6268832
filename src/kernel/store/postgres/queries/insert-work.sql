-- In the order of the arrays: their place becomes their number.
WITH made AS (
  INSERT INTO work_item (tenant_id, run_id, work_id, capability, objective, input, depends_on, status, lease_epoch, retry_count, max_retries, rank,
    not_before, idempotency_key, waiting_on, dependents, ready, ended_by, created_at, updated_at)
  SELECT $1, run_id, work_id, capability, objective, input, depends_on, status, 0, 0, max_retries, rank,
    not_before, idempotency_key, waiting_on, dependents, ready, ended_by, $2::bigint, $2::bigint
  FROM unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::integer[], $11::integer[], $12::bigint[],
    $13::text[], $14::integer[], $15::integer[], $16::boolean[], $17::text[]) WITH ORDINALITY
    AS made (run_id, work_id, capability, objective, input, depends_on, status, max_retries, rank, not_before, idempotency_key, waiting_on,
      dependents, ready, ended_by, place)
  ORDER BY place
  RETURNING number, run_id, capability, rank, status, ready, waiting_on, not_before
),
opened AS (
  INSERT INTO work_open (tenant_id, run_id, number)
  SELECT $1, run_id, number FROM made WHERE status = 'queued'
),
delayed AS (
  INSERT INTO work_delayed (tenant_id, not_before, number, run_id)
  SELECT $1, not_before, number, run_id FROM made WHERE status = 'queued' AND NOT ready AND waiting_on = 0
)
INSERT INTO work_ready (tenant_id, capability, rank, run_id, number)
SELECT $1, capability, rank, run_id, number FROM made WHERE ready
