-- What several processes of one workspace, and many workspaces, hold in common. The tenant comes first in every key.
CREATE TABLE work_order_numbers (
  tenant_id text COLLATE "C" NOT NULL,
  day text COLLATE "C" NOT NULL,
  last_number bigint NOT NULL,
  PRIMARY KEY (tenant_id, day)
);

-- A share is what one order may spend of a pool; settled, it is what it did spend. Money is kept in millionths of a dollar.
CREATE TABLE budget_shares (
  tenant_id text COLLATE "C" NOT NULL,
  pool_id text COLLATE "C" NOT NULL,
  session_id text COLLATE "C" NOT NULL,
  work_order_id text COLLATE "C" NOT NULL,
  tokens bigint NOT NULL,
  micro_usd bigint NOT NULL,
  settled boolean NOT NULL DEFAULT false,
  PRIMARY KEY (tenant_id, session_id, work_order_id)
);

CREATE TABLE budget_pools (
  tenant_id text COLLATE "C" NOT NULL,
  pool_id text COLLATE "C" NOT NULL,
  tokens bigint NOT NULL,
  micro_usd bigint NOT NULL,
  PRIMARY KEY (tenant_id, pool_id)
) WITH (fillfactor = 50);

-- An order is claimed before it acts and finished with its result: submitted again, it gives that result and acts no second time.
CREATE TABLE work_orders (
  tenant_id text COLLATE "C" NOT NULL,
  work_order_id text COLLATE "C" NOT NULL,
  idempotency_key text COLLATE "C",
  order_hash text NOT NULL,
  claimed_at text NOT NULL,
  session_id text,
  result text,
  PRIMARY KEY (tenant_id, work_order_id)
);
CREATE UNIQUE INDEX work_orders_by_key ON work_orders (tenant_id, idempotency_key) WHERE idempotency_key IS NOT NULL;

-- What a person approved of a server's tool: the whole definition as it came, and how the server was reached.
CREATE TABLE tool_pins (
  tenant_id text COLLATE "C" NOT NULL,
  server text COLLATE "C" NOT NULL,
  tool text COLLATE "C" NOT NULL,
  name text NOT NULL,
  hash text NOT NULL,
  launch text NOT NULL,
  definition text NOT NULL,
  approved_at text NOT NULL,
  approved_by text NOT NULL,
  PRIMARY KEY (tenant_id, server, tool)
);

-- The kill switch: a session's id, or * for everything. Every process polls it.
CREATE TABLE halts (
  tenant_id text COLLATE "C" NOT NULL,
  target text COLLATE "C" NOT NULL,
  by_whom text NOT NULL,
  reason text NOT NULL,
  halted_at text COLLATE "C" NOT NULL,
  PRIMARY KEY (tenant_id, target)
);

-- Found by the id in the key, proven by the hash of the whole. A revoked key stays, so that records can name it.
CREATE TABLE api_keys (
  tenant_id text COLLATE "C" NOT NULL,
  key_id text COLLATE "C" NOT NULL,
  key_sha256 text NOT NULL,
  caller_id text NOT NULL,
  scope text,
  note text NOT NULL,
  created_at text COLLATE "C" NOT NULL,
  created_by text NOT NULL,
  expires_at text,
  revoked_at text,
  revoked_by text,
  PRIMARY KEY (tenant_id, key_id)
);

-- A write over the network is claimed before it acts and finished with its answer.
CREATE TABLE request_keys (
  tenant_id text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  request_hash text NOT NULL,
  subject text NOT NULL,
  claimed_at text NOT NULL,
  status integer,
  answer text,
  PRIMARY KEY (tenant_id, name)
);

-- Two buckets that refill by the minute, and until when nothing starts.
CREATE TABLE rate_buckets (
  tenant_id text COLLATE "C" NOT NULL,
  bucket_id text COLLATE "C" NOT NULL,
  requests double precision NOT NULL,
  tokens double precision NOT NULL,
  at_ms double precision NOT NULL,
  paused_until_ms double precision NOT NULL,
  PRIMARY KEY (tenant_id, bucket_id)
) WITH (fillfactor = 50);
