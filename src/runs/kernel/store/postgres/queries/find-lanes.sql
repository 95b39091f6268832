-- The runs that have ready work, the most urgent rank first: `ahead` begins after the run that was served last and goes on
-- through the less urgent ranks, `around` leads back to that run. Plan: skips from run to run along work_ready, one probe
-- for each, however many items it has ready.
WITH RECURSIVE
wanted AS (
  SELECT capability, after FROM unnest($2::text[], $3::text[]) AS wanted (capability, after)
),
urgent AS (
  SELECT min(first.rank) AS rank
  FROM wanted
  CROSS JOIN LATERAL (
    SELECT rank FROM work_ready
    WHERE tenant_id = $1 AND capability = wanted.capability AND rank >= $4
    ORDER BY rank LIMIT 1
  ) AS first
),
ahead AS (
  SELECT wanted.capability, next.rank, next.run_id, 1 AS place
  FROM wanted CROSS JOIN urgent
  CROSS JOIN LATERAL (
    SELECT rank, run_id FROM work_ready
    WHERE tenant_id = $1 AND capability = wanted.capability AND (rank, run_id) > (urgent.rank, wanted.after)
    ORDER BY rank, run_id LIMIT 1
  ) AS next
  UNION ALL
  SELECT ahead.capability, next.rank, next.run_id, ahead.place + 1
  FROM ahead
  CROSS JOIN LATERAL (
    SELECT rank, run_id FROM work_ready
    WHERE tenant_id = $1 AND capability = ahead.capability AND (rank, run_id) > (ahead.rank, ahead.run_id)
    ORDER BY rank, run_id LIMIT 1
  ) AS next
  WHERE ahead.place < $5
),
around AS (
  SELECT wanted.capability, wanted.after, urgent.rank, next.run_id, 1 AS place
  FROM wanted CROSS JOIN urgent
  CROSS JOIN LATERAL (
    SELECT run_id FROM work_ready
    WHERE tenant_id = $1 AND capability = wanted.capability AND rank = urgent.rank AND run_id <= wanted.after
    ORDER BY run_id LIMIT 1
  ) AS next
  WHERE (SELECT count(*) FROM ahead WHERE ahead.capability = wanted.capability AND ahead.rank = urgent.rank) < $5
  UNION ALL
  SELECT around.capability, around.after, around.rank, next.run_id, around.place + 1
  FROM around
  CROSS JOIN LATERAL (
    SELECT run_id FROM work_ready
    WHERE tenant_id = $1 AND capability = around.capability AND rank = around.rank
      AND run_id > around.run_id AND run_id <= around.after
    ORDER BY run_id LIMIT 1
  ) AS next
  WHERE around.place < $5
)
SELECT lane.capability, lane.rank, lane.run_id, run.paused, lane.place
FROM (
  SELECT capability, rank, run_id, 0 AS round, place FROM ahead
  UNION ALL
  SELECT capability, rank, run_id, 1 AS round, place FROM around
) AS lane
CROSS JOIN LATERAL (SELECT paused FROM run WHERE tenant_id = $1 AND run_id = lane.run_id OFFSET 0) AS run
ORDER BY lane.rank, lane.round, lane.place
