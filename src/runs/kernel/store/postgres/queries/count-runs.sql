-- What moves with every event of a run. Plan: a probe of the primary key for each.
WITH change AS MATERIALIZED (
  SELECT run.ctid AS place, change.*
  FROM unnest($3::text[], $4::bigint[], $5::integer[], $6::bigint[], $7::bigint[])
    AS change (run_id, last_seq, open_work, fact_seq, turn_due_at)
  CROSS JOIN LATERAL (SELECT ctid FROM run WHERE tenant_id = $1 AND run_id = change.run_id LIMIT 1) AS run
)
UPDATE run
SET updated_at = $2::bigint, last_seq = change.last_seq, open_work = change.open_work, fact_seq = change.fact_seq,
    turn_due_at = change.turn_due_at
FROM change
WHERE run.ctid = change.place
