-- All that can change of an item, many items at once, and where each belongs now. Plan: a probe of work_number for each, then
-- one of the key of each table that it leaves.
WITH change AS MATERIALIZED (
  SELECT item.ctid AS place, item.status IN ('queued', 'leased') AND change.status NOT IN ('queued', 'leased') AS ends,
    item.ready AS was_ready, change.*
  FROM unnest($3::bigint[], $4::text[], $5::text[], $6::bigint[], $7::integer[], $8::integer[], $9::bigint[], $10::integer[],
    $11::integer[], $12::boolean[], $13::text[])
    AS change (number, status, lease_owner, lease_expires_at, lease_epoch, retry_count, not_before, waiting_on, dependents, ready, ended_by)
  CROSS JOIN LATERAL (SELECT ctid, status, ready FROM work_item WHERE number = change.number AND tenant_id = $1 LIMIT 1) AS item
),
changed AS (
  UPDATE work_item
  SET status = change.status, lease_owner = change.lease_owner, lease_expires_at = change.lease_expires_at,
      lease_epoch = change.lease_epoch, retry_count = change.retry_count, not_before = change.not_before,
      waiting_on = change.waiting_on, dependents = change.dependents, ready = change.ready,
      ended_by = change.ended_by, updated_at = $2::bigint
  FROM change
  WHERE work_item.ctid = change.place
  RETURNING work_item.number, work_item.run_id, work_item.capability, work_item.rank, change.ends, change.was_ready, work_item.ready,
    work_item.not_before, work_item.status = 'queued' AND NOT work_item.ready AND work_item.waiting_on = 0 AS delayed
),
block AS MATERIALIZED (
  SELECT open.ctid AS place, open.items - gone.items AS left
  FROM (SELECT run_id, number >> 8 AS block, count(*) AS items FROM changed WHERE ends GROUP BY 1, 2) AS gone
  CROSS JOIN LATERAL (
    SELECT ctid, items FROM work_open WHERE tenant_id = $1 AND run_id = gone.run_id AND block = gone.block LIMIT 1
  ) AS open
),
emptied AS (
  DELETE FROM work_open WHERE ctid = ANY (ARRAY(SELECT place FROM block WHERE "left" = 0))
),
counted AS (
  UPDATE work_open SET items = block.left FROM block WHERE work_open.ctid = block.place AND block.left > 0
),
left_behind AS MATERIALIZED (
  SELECT ready.place, array_agg(changed.number) AS numbers
  FROM changed
  CROSS JOIN LATERAL (
    SELECT ctid AS place FROM work_ready
    WHERE tenant_id = $1 AND capability = changed.capability AND rank = changed.rank AND run_id = changed.run_id
      AND number <= changed.number AND changed.number = ANY (numbers)
    ORDER BY number DESC
    LIMIT 1
  ) AS ready
  WHERE changed.was_ready AND NOT changed.ready
  GROUP BY ready.place
),
taken AS (
  DELETE FROM work_ready USING left_behind WHERE work_ready.ctid = left_behind.place
  RETURNING work_ready.capability, work_ready.rank, work_ready.run_id,
    ARRAY(SELECT number FROM unnest(work_ready.numbers) AS number WHERE number <> ALL (left_behind.numbers)) AS numbers
),
put_back AS (
  INSERT INTO work_ready (tenant_id, capability, rank, run_id, number, numbers)
  SELECT $1, capability, rank, run_id, numbers[1], numbers FROM taken WHERE cardinality(numbers) > 0
),
dropped AS (
  DELETE FROM work_delayed
  WHERE ctid = ANY (ARRAY(
    SELECT delayed.ctid FROM changed
    CROSS JOIN LATERAL (
      SELECT ctid FROM work_delayed WHERE tenant_id = $1 AND not_before = changed.not_before AND number = changed.number LIMIT 1
    ) AS delayed
    WHERE NOT changed.delayed
  ))
),
put_off AS (
  INSERT INTO work_delayed (tenant_id, not_before, number, run_id)
  SELECT $1, not_before, number, run_id FROM changed WHERE delayed
  ON CONFLICT DO NOTHING
)
INSERT INTO work_ready (tenant_id, capability, rank, run_id, number, numbers)
SELECT $1, capability, rank, run_id, min(number), array_agg(number ORDER BY number) FROM changed WHERE ready AND NOT was_ready
GROUP BY capability, rank, run_id, number >> 7
