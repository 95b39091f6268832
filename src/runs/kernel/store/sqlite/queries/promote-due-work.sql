-- Work whose time has come joins the ready index. Bounded, so that a wave of due items does not hold up one claim.
UPDATE work_item
SET ready = 1
WHERE number IN (
  SELECT number FROM work_item
  WHERE tenant_id = ? AND not_before <= ? AND status = 'queued' AND ready = 0 AND waiting_on = 0
  ORDER BY not_before
  LIMIT ?
)
