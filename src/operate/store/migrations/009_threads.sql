-- A message of a thread: it waits, its own order carries it out at a position that is taken once, or a running order took it.
CREATE TABLE thread_messages (
  tenant_id text COLLATE "C" NOT NULL,
  thread_id text COLLATE "C" NOT NULL,
  message_id text COLLATE "C" NOT NULL,
  position integer,
  session_id text COLLATE "C",
  waiting text,
  sent_at text COLLATE "C" NOT NULL,
  begun boolean NOT NULL DEFAULT false,
  PRIMARY KEY (tenant_id, thread_id, message_id)
);
CREATE UNIQUE INDEX thread_positions ON thread_messages (tenant_id, thread_id, position) WHERE position IS NOT NULL;
CREATE INDEX threads_newest ON thread_messages (tenant_id, sent_at DESC, thread_id DESC) WHERE position IS NOT NULL;
CREATE INDEX threads_waiting ON thread_messages (tenant_id, thread_id) WHERE session_id IS NULL;
SELECT writ_hold_to_tenant('thread_messages');
