-- Contexts that were kept before then and before the oldest order that is still to be finished: it may go on by one of them.
-- Plan: kept_contexts from its first entry up to $2, then each row where it lies; the first entry of work_orders_unfinished.
WITH gone AS (
  DELETE FROM kept_texts
  WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM kept_texts
    WHERE tenant_id = $1 AND name LIKE '%.context.json' AND kept_at < least(
      $2::text::timestamptz,
      (SELECT claimed_at::timestamptz FROM work_orders WHERE tenant_id = $1 AND result IS NULL AND claimed_at < $2::text ORDER BY claimed_at LIMIT 1)
    )
    LIMIT $3
  ))
  RETURNING 1
)
SELECT count(*) FROM gone
