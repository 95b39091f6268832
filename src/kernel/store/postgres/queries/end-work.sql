-- Leased items that ended the same way by the same hand. Plan: a probe of work_number and one of work_open's key for each.
WITH ended AS (
  UPDATE work_item
  SET status = $3, lease_owner = NULL, lease_expires_at = NULL, ended_by = $4, updated_at = $2::bigint
  WHERE ctid = ANY (ARRAY(
    SELECT item.ctid FROM unnest($5::bigint[]) AS named (number)
    CROSS JOIN LATERAL (SELECT ctid FROM work_item WHERE number = named.number AND tenant_id = $1 LIMIT 1) AS item
  ))
  RETURNING run_id, number
)
DELETE FROM work_open
WHERE ctid = ANY (ARRAY(
  SELECT open.ctid FROM ended
  CROSS JOIN LATERAL (
    SELECT ctid FROM work_open WHERE tenant_id = $1 AND run_id = ended.run_id AND number = ended.number LIMIT 1
  ) AS open
))
