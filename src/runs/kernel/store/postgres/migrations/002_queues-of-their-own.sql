-- What scheduling asks for lies in tables of its own, one narrow row for each item that it is about. As partial indexes of
-- work_item these columns had every lease and every end written anew into every index of the table; now an item changes in
-- place (HOT), and pages keep the room for it.
DROP INDEX work_ready;
DROP INDEX work_delayed;
DROP INDEX work_leased;
DROP INDEX work_open;

CREATE TABLE work_ready (
  tenant_id text COLLATE "C" NOT NULL,
  capability text COLLATE "C" NOT NULL,
  rank integer NOT NULL,
  run_id text COLLATE "C" NOT NULL,
  number bigint NOT NULL,
  PRIMARY KEY (tenant_id, capability, rank, run_id, number)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000, autovacuum_vacuum_insert_threshold = -1);
CREATE TABLE work_delayed (
  tenant_id text COLLATE "C" NOT NULL,
  not_before bigint NOT NULL,
  number bigint NOT NULL,
  run_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (tenant_id, not_before, number)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000, autovacuum_vacuum_insert_threshold = -1);
CREATE TABLE work_open (
  tenant_id text COLLATE "C" NOT NULL,
  run_id text COLLATE "C" NOT NULL,
  number bigint NOT NULL,
  PRIMARY KEY (tenant_id, run_id, number)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000, autovacuum_vacuum_insert_threshold = -1);
-- When to look at which items: a row for each run of a claim, not for each item. It says nothing about who holds what: the
-- items do. A row whose items are no longer leased until then is forgotten when its time comes.
CREATE TABLE work_leased (
  tenant_id text COLLATE "C" NOT NULL,
  lease_expires_at bigint NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY,
  run_id text COLLATE "C" NOT NULL,
  numbers bigint[] NOT NULL,
  PRIMARY KEY (tenant_id, lease_expires_at, id)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000, autovacuum_vacuum_insert_threshold = -1);

INSERT INTO work_open (tenant_id, run_id, number) SELECT tenant_id, run_id, number FROM work_item WHERE open;
INSERT INTO work_ready (tenant_id, capability, rank, run_id, number) SELECT tenant_id, capability, rank, run_id, number FROM work_item WHERE ready;
INSERT INTO work_delayed (tenant_id, not_before, number, run_id)
SELECT tenant_id, not_before, number, run_id FROM work_item WHERE status = 'queued' AND NOT ready AND waiting_on = 0;
INSERT INTO work_leased (tenant_id, lease_expires_at, run_id, numbers)
SELECT tenant_id, lease_expires_at, run_id, ARRAY[number] FROM work_item WHERE status = 'leased';

ALTER TABLE work_item DROP COLUMN open;
ALTER TABLE work_item SET (fillfactor = 50);
-- The number first: beginning with the tenant, a planner that knows nothing of the table yet took this index for every question.
CREATE UNIQUE INDEX work_number ON work_item (number, tenant_id);

-- A run changes with every batch, and its time of change with it: as the key of an index it kept those changes from happening
-- in place.
DROP INDEX run_closed;
ALTER TABLE run ADD COLUMN closed_at bigint GENERATED ALWAYS AS (CASE WHEN status = 'closed' THEN updated_at END) STORED;
CREATE INDEX run_closed ON run (tenant_id, closed_at) WHERE closed_at IS NOT NULL AND archived_at IS NULL;
