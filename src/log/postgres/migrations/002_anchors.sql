-- The anchor log of many machines: the lines that `anchors.jsonl` holds elsewhere, heads and signed checkpoints, in their order.
CREATE TABLE log_anchor (
  tenant_id text COLLATE "C" NOT NULL,
  number bigint NOT NULL,
  line text NOT NULL,
  -- Of a head; a checkpoint has none.
  session_id text COLLATE "C",
  seq bigint,
  PRIMARY KEY (tenant_id, number)
) WITH (autovacuum_vacuum_insert_scale_factor = 0.1);

CREATE INDEX log_anchor_session ON log_anchor (tenant_id, session_id, seq) WHERE session_id IS NOT NULL;

-- Where the tree stands: one machine at a time adds to it, under the lock of this row. What it says must be what the newest
-- checkpoint signed, or nothing is added.
CREATE TABLE log_anchor_tree (
  tenant_id text COLLATE "C" NOT NULL,
  lines bigint NOT NULL,
  tree_size bigint NOT NULL,
  peaks text[] NOT NULL,
  PRIMARY KEY (tenant_id)
) WITH (fillfactor = 50);
