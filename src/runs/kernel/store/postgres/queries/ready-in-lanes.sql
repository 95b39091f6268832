-- Items of each run in order of arrival, after the $6 that were read before; the run's lock keeps other transactions from changing
-- them. One row per lane with a JSON array per column: a row per item cost the process a fifth of its work in a drain. The columns
-- that are equal for all of them (queued, without a lease, of this run and this capability) are conditions and not selected. Plan:
-- work_ready from the start of the lane, for as many numbers as are wanted, and a probe of work_number for each.
SELECT lane.turn, lot.*
FROM unnest($2::text[], $3::text[], $5::integer[], $6::integer[]) WITH ORDINALITY AS lane (capability, run_id, wanted, read, turn)
CROSS JOIN LATERAL (
  SELECT json_agg(next.number)::text, json_agg(next.place)::text, json_agg(next.nth)::text, json_agg(item.place)::text,
    json_agg(item.work_id)::text, json_agg(item.lease_epoch)::text, json_agg(item.retry_count)::text, json_agg(item.max_retries)::text,
    json_agg(item.not_before)::text, json_agg(item.dependents)::text, json_agg(item.objective)::text, json_agg(item.input)::text
  FROM (
    SELECT named.number, named.nth, ready.place
    FROM (
      SELECT ctid AS place, numbers FROM work_ready
      WHERE tenant_id = $1 AND capability = lane.capability AND rank = $4 AND run_id = lane.run_id
      ORDER BY number
    ) AS ready
    CROSS JOIN LATERAL unnest(ready.numbers) WITH ORDINALITY AS named (number, nth)
    LIMIT lane.wanted OFFSET lane.read
  ) AS next
  LEFT JOIN LATERAL (
    SELECT ctid AS place, work_id, lease_epoch, retry_count, max_retries, not_before, dependents, objective, input
    FROM work_item
    WHERE number = next.number AND tenant_id = $1
      AND run_id = lane.run_id AND capability = lane.capability AND status = 'queued' AND ready AND waiting_on = 0
    LIMIT 1
  ) AS item ON true
) AS lot
ORDER BY lane.turn
