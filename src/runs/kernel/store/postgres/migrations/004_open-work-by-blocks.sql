-- Where the open items of a run lie: blocks of 256 numbers, and how many in each. As a row for each item it was written and
-- dropped once more for everything that was ever done.
DROP TABLE work_open;
CREATE TABLE work_open (
  tenant_id text COLLATE "C" NOT NULL,
  run_id text COLLATE "C" NOT NULL,
  block bigint NOT NULL,
  items integer NOT NULL CHECK (items > 0),
  PRIMARY KEY (tenant_id, run_id, block)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000, autovacuum_vacuum_insert_threshold = -1);

INSERT INTO work_open (tenant_id, run_id, block, items)
SELECT tenant_id, run_id, number >> 8, count(*) FROM work_item WHERE status IN ('queued', 'leased') GROUP BY 1, 2, 3;
