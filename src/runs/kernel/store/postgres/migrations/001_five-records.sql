-- Run, WorkItem, Patch, Revision, EventLog. Times are epoch milliseconds of the database's clock; JSON is kept as it was
-- written. Everything that belongs to a run changes only under the lock of its row in `run`.
-- Ids are compared byte for byte, whatever language the database was made for.
CREATE TABLE run (
  tenant_id text COLLATE "C" NOT NULL,
  run_id text COLLATE "C" NOT NULL,
  app_id text COLLATE "C" NOT NULL,
  objective text NOT NULL,
  status text NOT NULL CHECK (status IN ('active', 'closed')),
  close_reason text CHECK (close_reason IN ('completed', 'blocked', 'failed', 'canceled')),
  close_message text,
  head_revision_id text,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  paused boolean NOT NULL,
  last_seq bigint NOT NULL,
  open_work integer NOT NULL CHECK (open_work >= 0),
  fact_seq bigint NOT NULL,
  seen_seq bigint NOT NULL,
  turn_owner text,
  turn_epoch integer NOT NULL,
  turn_expires_at bigint,
  turn_applied_epoch integer NOT NULL,
  turn_failures integer NOT NULL,
  turn_not_before bigint NOT NULL,
  turn_due_at bigint,
  archived_at bigint,
  archive_ref text,
  PRIMARY KEY (tenant_id, run_id),
  CHECK ((status = 'closed') = (close_reason IS NOT NULL)),
  CHECK (status = 'active' OR open_work = 0)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);

CREATE INDEX run_due ON run (tenant_id, app_id, turn_due_at) WHERE turn_due_at IS NOT NULL AND NOT paused;
CREATE INDEX run_closed ON run (tenant_id, updated_at) WHERE status = 'closed' AND archived_at IS NULL;

-- `number` is the order of arrival within a run. `rank` is the negated priority, so that one ascending index serves the
-- claim. An item is written three times in its life and each time anew into every index that holds it, so there are few,
-- and each holds only the rows that its question is about: finished and waiting work costs a claim nothing.
CREATE TABLE work_item (
  tenant_id text COLLATE "C" NOT NULL,
  run_id text COLLATE "C" NOT NULL,
  work_id text COLLATE "C" NOT NULL,
  number bigint GENERATED ALWAYS AS IDENTITY,
  capability text COLLATE "C" NOT NULL,
  objective text NOT NULL,
  input text,
  depends_on text COLLATE "C" NOT NULL,
  status text NOT NULL,
  lease_owner text,
  lease_expires_at bigint,
  lease_epoch integer NOT NULL,
  retry_count integer NOT NULL,
  max_retries integer NOT NULL,
  rank integer NOT NULL,
  not_before bigint,
  idempotency_key text COLLATE "C",
  waiting_on integer NOT NULL,
  dependents integer NOT NULL,
  ready boolean NOT NULL,
  open boolean NOT NULL,
  ended_by text,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  PRIMARY KEY (tenant_id, run_id, work_id)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_insert_scale_factor = 0.05);

CREATE INDEX work_ready ON work_item (tenant_id, capability, rank, run_id, number) WHERE ready;
CREATE INDEX work_delayed ON work_item (tenant_id, not_before) WHERE status = 'queued' AND NOT ready AND waiting_on = 0;
CREATE INDEX work_leased ON work_item (tenant_id, lease_expires_at) WHERE status = 'leased';
CREATE INDEX work_open ON work_item (tenant_id, run_id, number) WHERE open;
CREATE UNIQUE INDEX work_key ON work_item (tenant_id, run_id, idempotency_key) WHERE idempotency_key IS NOT NULL;

CREATE TABLE work_dependency (
  tenant_id text COLLATE "C" NOT NULL,
  run_id text COLLATE "C" NOT NULL,
  depends_on text COLLATE "C" NOT NULL,
  work_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (tenant_id, run_id, depends_on, work_id)
);

CREATE TABLE patch (
  tenant_id text COLLATE "C" NOT NULL,
  run_id text COLLATE "C" NOT NULL,
  patch_id text COLLATE "C" NOT NULL,
  number bigint GENERATED ALWAYS AS IDENTITY,
  author_kind text NOT NULL CHECK (author_kind IN ('worker', 'user', 'app')),
  author_id text NOT NULL,
  source_work_id text,
  base_revision_id text,
  ops text NOT NULL,
  applied_in_revision_id text,
  rejected_in_revision_id text,
  created_at bigint NOT NULL,
  PRIMARY KEY (tenant_id, run_id, patch_id),
  CHECK (applied_in_revision_id IS NULL OR rejected_in_revision_id IS NULL)
);

CREATE INDEX patch_open ON patch (tenant_id, run_id, number) WHERE applied_in_revision_id IS NULL AND rejected_in_revision_id IS NULL;

CREATE TABLE revision (
  tenant_id text COLLATE "C" NOT NULL,
  run_id text COLLATE "C" NOT NULL,
  revision_id text COLLATE "C" NOT NULL,
  number bigint GENERATED ALWAYS AS IDENTITY,
  parent_revision_id text COLLATE "C",
  created_by_app_id text NOT NULL,
  applied_patch_ids text NOT NULL,
  rejected_patch_ids text NOT NULL,
  rejections text NOT NULL,
  document_ref text NOT NULL,
  created_at bigint NOT NULL,
  PRIMARY KEY (tenant_id, run_id, revision_id)
);

-- A parent has one child at most: the chain cannot fork, whatever the code above believes.
CREATE UNIQUE INDEX revision_chain ON revision (tenant_id, run_id, coalesce(parent_revision_id, ''));

CREATE TABLE event_log (
  tenant_id text COLLATE "C" NOT NULL,
  run_id text COLLATE "C" NOT NULL,
  seq bigint NOT NULL,
  event_type text NOT NULL,
  payload text NOT NULL,
  actor_id text NOT NULL,
  created_at bigint NOT NULL,
  PRIMARY KEY (tenant_id, run_id, seq)
) WITH (autovacuum_vacuum_insert_scale_factor = 0.1);

CREATE TABLE document (
  tenant_id text COLLATE "C" NOT NULL,
  sha256 text COLLATE "C" NOT NULL,
  content bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (tenant_id, sha256)
);
