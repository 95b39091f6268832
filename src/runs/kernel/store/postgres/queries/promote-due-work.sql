-- Work whose time has come joins the ready ones, under the lock of its run as everything does; what others hold is left for the
-- next claim. Bounded, so that a wave of due items does not hold up one claim. Plan: work_delayed up to now, then a probe of
-- the key for each run and each item.
WITH due AS MATERIALIZED (
  SELECT ctid AS place, run_id FROM work_delayed
  WHERE tenant_id = $1
    AND not_before <= (SELECT coalesce($2::bigint, floor(extract(epoch FROM statement_timestamp()) * 1000)::bigint))
  ORDER BY not_before
  LIMIT $3
),
held AS MATERIALIZED (
  SELECT run_id FROM run
  WHERE tenant_id = $1 AND run_id = ANY (ARRAY(SELECT run_id FROM due))
  FOR NO KEY UPDATE SKIP LOCKED
),
taken AS (
  DELETE FROM work_delayed
  WHERE ctid = ANY (ARRAY(SELECT place FROM due WHERE run_id = ANY (ARRAY(SELECT run_id FROM held))))
  RETURNING number
),
promoted AS (
  UPDATE work_item
  SET ready = true
  WHERE ctid = ANY (ARRAY(
    SELECT item.ctid FROM taken
    CROSS JOIN LATERAL (SELECT ctid FROM work_item WHERE number = taken.number AND tenant_id = $1 LIMIT 1) AS item
  )) AND status = 'queued' AND NOT ready AND waiting_on = 0
  RETURNING capability, rank, run_id, number
)
INSERT INTO work_ready (tenant_id, capability, rank, run_id, number, numbers)
SELECT $1, capability, rank, run_id, min(number), array_agg(number ORDER BY number) FROM promoted
GROUP BY capability, rank, run_id, number >> 7
