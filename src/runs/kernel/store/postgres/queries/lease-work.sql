-- Items of one claim under one epoch. They change in place; of the rows that made them claimable the rest stays: what was kept of
-- the numbers up to the one that was read last ($9), and those behind it. Rows are named by where they lie, where their run's lock
-- keeps them: no planner that knows nothing of the table yet looks for them in another way. Plan: Tid Scan of both tables.
WITH taken AS (
  DELETE FROM work_ready USING unnest($7::tid[], $8::integer[], $9::text[]) AS read (place, last, kept)
  WHERE work_ready.ctid = read.place
  RETURNING work_ready.capability, work_ready.rank, work_ready.run_id,
    read.kept::bigint[] || work_ready.numbers[read.last + 1:] AS numbers
),
put_back AS (
  INSERT INTO work_ready (tenant_id, capability, rank, run_id, number, numbers)
  SELECT $1, capability, rank, run_id, numbers[1], numbers FROM taken WHERE cardinality(numbers) > 0
)
UPDATE work_item
SET status = 'leased', lease_owner = $3, lease_expires_at = $4::bigint, lease_epoch = $5::integer, ready = false, updated_at = $2::bigint
WHERE ctid = ANY ($6::tid[]) AND status = 'queued'
