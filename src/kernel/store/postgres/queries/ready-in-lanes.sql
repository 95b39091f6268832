-- A share of each run, in order of arrival, behind what was taken of it before: others may make work ready meanwhile. What all of
-- them have in common (queued, held by nobody, of this run and this capability) is asked for here and not told. Plan: work_ready
-- from where the lane begins, for as many rows as are wanted, and a probe of work_number for each.
SELECT item.number, item.work_id, item.lease_epoch, item.retry_count, item.max_retries, item.not_before, item.dependents, item.objective, item.input, lane.turn, next.place::text
FROM unnest($2::text[], $3::text[], $5::integer[], $6::bigint[]) WITH ORDINALITY AS lane (capability, run_id, wanted, after, turn)
CROSS JOIN LATERAL (
  SELECT number, ctid AS place FROM work_ready
  WHERE tenant_id = $1 AND capability = lane.capability AND rank = $4 AND run_id = lane.run_id AND number > lane.after
  ORDER BY number
  LIMIT lane.wanted
) AS next
CROSS JOIN LATERAL (
  SELECT number, work_id, lease_epoch, retry_count, max_retries, not_before, dependents, objective, input
  FROM work_item
  WHERE number = next.number AND tenant_id = $1
    AND run_id = lane.run_id AND capability = lane.capability AND status = 'queued' AND ready AND waiting_on = 0
  LIMIT 1
) AS item
ORDER BY lane.turn, item.number
