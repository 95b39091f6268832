-- What redaction took out and a later call may need again, encrypted under the workspace's key. Never exported.
CREATE TABLE sealed_values (
  tenant_id text COLLATE "C" NOT NULL,
  session_id text COLLATE "C" NOT NULL,
  tag text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  origin text NOT NULL,
  sealed text NOT NULL,
  expires_at text COLLATE "C" NOT NULL,
  PRIMARY KEY (tenant_id, session_id, tag)
);
CREATE INDEX sealed_values_by_age ON sealed_values (tenant_id, expires_at);
SELECT writ_hold_to_tenant('sealed_values');
