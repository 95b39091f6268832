-- The log of many machines. A line is what stands in `.events.jsonl` elsewhere, without its LF; ledgers follow from the
-- events by their fixed rule and are derived when they are read.
CREATE TABLE log_session (
  tenant_id text COLLATE "C" NOT NULL,
  session_id text COLLATE "C" NOT NULL,
  tier text NOT NULL,
  -- Who may append: this writer, under this epoch. One more with every new owner.
  epoch integer NOT NULL,
  writer_id text COLLATE "C",
  head_seq bigint NOT NULL,
  head_hash text NOT NULL,
  closed boolean NOT NULL,
  PRIMARY KEY (tenant_id, session_id)
) WITH (fillfactor = 70);

CREATE INDEX log_session_owned ON log_session (tenant_id, writer_id) WHERE writer_id IS NOT NULL;

CREATE TABLE log_event (
  tenant_id text COLLATE "C" NOT NULL,
  session_id text COLLATE "C" NOT NULL,
  seq bigint NOT NULL,
  line text NOT NULL,
  PRIMARY KEY (tenant_id, session_id, seq)
) WITH (autovacuum_vacuum_insert_scale_factor = 0.1);

-- A writer lives while its time has not run out, by the database's clock in milliseconds.
CREATE TABLE log_writer (
  tenant_id text COLLATE "C" NOT NULL,
  writer_id text COLLATE "C" NOT NULL,
  name text NOT NULL,
  expires_at bigint NOT NULL,
  PRIMARY KEY (tenant_id, writer_id)
);
