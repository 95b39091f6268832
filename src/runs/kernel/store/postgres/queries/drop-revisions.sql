WITH gone AS (
  DELETE FROM revision
  WHERE ctid = ANY (ARRAY(SELECT ctid FROM revision WHERE tenant_id = $1 AND run_id = $2 LIMIT $3))
  RETURNING 1
)
SELECT count(*) FROM gone
