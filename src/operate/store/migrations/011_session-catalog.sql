-- A projection of the log for lists, made anew from the events whenever it is lost.
CREATE TABLE session_catalog (
  tenant_id text COLLATE "C" NOT NULL,
  session_id text COLLATE "C" NOT NULL,
  head_hash text NOT NULL,
  kind text NOT NULL,
  outcome text NOT NULL,
  closed integer NOT NULL,
  started_at text COLLATE "C" NOT NULL,
  caller text,
  cycle_id text,
  micro_usd bigint NOT NULL,
  tokens bigint NOT NULL,
  took_ms bigint NOT NULL,
  events bigint NOT NULL,
  refused_acts integer NOT NULL,
  skills text NOT NULL,
  tools text NOT NULL,
  info text NOT NULL,
  shown text,
  allowed text NOT NULL,
  saw text NOT NULL,
  wrote text NOT NULL,
  shadows text,
  words text NOT NULL,
  PRIMARY KEY (tenant_id, session_id)
);
CREATE INDEX session_catalog_newest ON session_catalog (tenant_id, started_at, session_id);
CREATE INDEX session_catalog_shadows ON session_catalog (tenant_id, started_at) WHERE shadows IS NOT NULL;
SELECT writ_hold_to_tenant('session_catalog');
