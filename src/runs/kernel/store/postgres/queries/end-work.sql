-- Leased items that ended the same way by the same hand. Plan: a probe of work_number for each, and one of work_open's key for each
-- block that they lie in.
WITH ended AS (
  UPDATE work_item
  SET status = $3, lease_owner = NULL, lease_expires_at = NULL, ended_by = $4, updated_at = $2::bigint
  WHERE ctid = ANY (ARRAY(
    SELECT item.ctid FROM unnest($5::bigint[]) AS named (number)
    CROSS JOIN LATERAL (SELECT ctid FROM work_item WHERE number = named.number AND tenant_id = $1 LIMIT 1) AS item
  ))
  RETURNING run_id, number
),
block AS MATERIALIZED (
  SELECT open.ctid AS place, open.items - gone.items AS left
  FROM (SELECT run_id, number >> 8 AS block, count(*) AS items FROM ended GROUP BY 1, 2) AS gone
  CROSS JOIN LATERAL (
    SELECT ctid, items FROM work_open WHERE tenant_id = $1 AND run_id = gone.run_id AND block = gone.block LIMIT 1
  ) AS open
),
emptied AS (
  DELETE FROM work_open WHERE ctid = ANY (ARRAY(SELECT place FROM block WHERE "left" = 0))
)
UPDATE work_open SET items = block.left FROM block WHERE work_open.ctid = block.place AND block.left > 0
