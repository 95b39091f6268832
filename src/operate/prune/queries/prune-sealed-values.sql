-- Plan: sealed_values_by_age from its first entry up to $2, then each row where it lies.
WITH gone AS (
  DELETE FROM sealed_values
  WHERE ctid = ANY (ARRAY(SELECT ctid FROM sealed_values WHERE tenant_id = $1 AND expires_at <= $2 LIMIT $3))
  RETURNING 1
)
SELECT count(*) FROM gone
