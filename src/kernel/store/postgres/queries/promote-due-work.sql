-- Work whose time has come joins the ready index. Bounded, so that a wave of due items does not hold up one claim; what
-- somebody else is writing is left for the next one. Plan: work_delayed up to now, then each row where it lies.
UPDATE work_item
SET ready = true
WHERE ctid = ANY (ARRAY(
  SELECT ctid FROM work_item
  WHERE tenant_id = $1 AND status = 'queued' AND NOT ready AND waiting_on = 0
    AND not_before <= coalesce($2::bigint, floor(extract(epoch FROM statement_timestamp()) * 1000)::bigint)
  ORDER BY not_before
  LIMIT $3
  FOR UPDATE SKIP LOCKED
))
