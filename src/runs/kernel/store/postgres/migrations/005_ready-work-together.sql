-- Ready items of one run that arrived together share a row: `numbers` names up to 128 of them in order, `number` is the first. As a
-- row for each item it was a third of what it cost to ask for work, and a quarter of what it cost to claim it. An item stands in
-- one row at most, and like everything of a run a row changes under the run's lock.
ALTER TABLE work_ready RENAME TO work_ready_singly;
ALTER INDEX work_ready_pkey RENAME TO work_ready_singly_pkey;
CREATE TABLE work_ready (
  tenant_id text COLLATE "C" NOT NULL,
  capability text COLLATE "C" NOT NULL,
  rank integer NOT NULL,
  run_id text COLLATE "C" NOT NULL,
  number bigint NOT NULL,
  numbers bigint[] NOT NULL,
  PRIMARY KEY (tenant_id, capability, rank, run_id, number)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_insert_threshold = -1);
INSERT INTO work_ready (tenant_id, capability, rank, run_id, number, numbers)
SELECT tenant_id, capability, rank, run_id, min(number), array_agg(number ORDER BY number)
FROM work_ready_singly
GROUP BY tenant_id, capability, rank, run_id, number >> 7;
DROP TABLE work_ready_singly;
