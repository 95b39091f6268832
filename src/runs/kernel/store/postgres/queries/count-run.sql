-- The same as count-runs for one, which most transactions of a quiet time are about, at two thirds of its cost. Plan: the primary key.
UPDATE run
SET updated_at = $2::bigint, last_seq = $4::bigint, open_work = $5::integer, fact_seq = $6::bigint, turn_due_at = $7::bigint
WHERE tenant_id = $1 AND run_id = $3
