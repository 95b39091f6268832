-- What waits for a person. Its id is made of what is asked, so the same question is there once.
CREATE TABLE approvals (
  tenant_id text COLLATE "C" NOT NULL,
  approval_id text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  title text NOT NULL,
  reason text NOT NULL,
  author text NOT NULL,
  session_id text COLLATE "C",
  run_id text,
  subject text NOT NULL,
  subject_hash text NOT NULL,
  choices text NOT NULL,
  created_at text COLLATE "C" NOT NULL,
  expires_at text COLLATE "C" NOT NULL,
  choice text,
  decided_by text,
  decided_at text,
  decision_reason text,
  result text,
  PRIMARY KEY (tenant_id, approval_id)
);
CREATE INDEX approvals_by_time ON approvals (tenant_id, created_at, approval_id);
CREATE INDEX approvals_open ON approvals (tenant_id, created_at) WHERE choice IS NULL;
CREATE INDEX approvals_by_session ON approvals (tenant_id, session_id) WHERE session_id IS NOT NULL;

-- What was accepted and has no result: a server that starts looks for those that a dead one left behind.
CREATE INDEX work_orders_unfinished ON work_orders (tenant_id, claimed_at) WHERE result IS NULL;
