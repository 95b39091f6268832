-- Plan: request_keys_answered from its first entry up to $2, then each row where it lies.
WITH gone AS (
  DELETE FROM request_keys
  WHERE ctid = ANY (ARRAY(SELECT ctid FROM request_keys WHERE tenant_id = $1 AND status IS NOT NULL AND claimed_at < $2 LIMIT $3))
  RETURNING 1
)
SELECT count(*) FROM gone
