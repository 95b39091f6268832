-- Puts the open items of a run where scheduling looks for them: for items that were copied here from another store.
WITH open AS (
  SELECT number, run_id, capability, rank, status, ready, not_before, lease_expires_at,
    status = 'queued' AND NOT ready AND waiting_on = 0 AS delayed
  FROM work_item
  WHERE tenant_id = $1 AND run_id = $2 AND status IN ('queued', 'leased')
),
opened AS (
  INSERT INTO work_open (tenant_id, run_id, block, items) SELECT $1, run_id, number >> 8, count(*) FROM open GROUP BY 2, 3
  ON CONFLICT (tenant_id, run_id, block) DO UPDATE SET items = excluded.items
),
put_off AS (
  INSERT INTO work_delayed (tenant_id, not_before, number, run_id) SELECT $1, not_before, number, run_id FROM open WHERE delayed
  ON CONFLICT DO NOTHING
),
watched AS (
  INSERT INTO work_leased (tenant_id, lease_expires_at, run_id, numbers)
  SELECT $1, lease_expires_at, run_id, ARRAY[number] FROM open WHERE status = 'leased'
)
INSERT INTO work_ready (tenant_id, capability, rank, run_id, number, numbers)
SELECT $1, capability, rank, run_id, min(number), array_agg(number ORDER BY number) FROM open
WHERE ready AND NOT EXISTS (
  SELECT 1 FROM work_ready AS placed
  WHERE placed.tenant_id = $1 AND placed.capability = open.capability AND placed.rank = open.rank AND placed.run_id = open.run_id
    AND placed.number <= open.number AND open.number = ANY (placed.numbers)
)
GROUP BY capability, rank, run_id, number >> 7
