-- Many sessions' events in one statement, which is one transaction. A session that is not ours any more, or stands elsewhere
-- than we believe, gets nothing and is not answered. Plan: a probe of each primary key.
WITH said AS (
  SELECT * FROM unnest($3::text[], $4::text[], $5::integer[], $6::bigint[], $7::bigint[], $8::text[], $9::boolean[])
    AS said (session_id, tier, epoch, base_seq, head_seq, head_hash, closed)
),
made AS (
  INSERT INTO log_session (tenant_id, session_id, tier, epoch, writer_id, head_seq, head_hash, closed)
  SELECT $1, session_id, tier, epoch, $2, head_seq, head_hash, closed FROM said WHERE base_seq = 0
  ON CONFLICT DO NOTHING
  RETURNING session_id
),
owned AS (
  UPDATE log_session
  SET head_seq = said.head_seq, head_hash = said.head_hash, closed = said.closed
  FROM said
  WHERE log_session.tenant_id = $1 AND log_session.session_id = said.session_id AND log_session.writer_id = $2
    AND log_session.epoch = said.epoch AND log_session.head_seq = said.base_seq AND said.base_seq > 0
  RETURNING log_session.session_id
),
standing AS (
  SELECT session_id FROM made UNION ALL SELECT session_id FROM owned
),
written AS (
  INSERT INTO log_event (tenant_id, session_id, seq, line)
  SELECT $1, said_line.session_id, said_line.seq, said_line.line
  FROM unnest($10::text[], $11::bigint[], $12::text[]) AS said_line (session_id, seq, line)
  JOIN standing ON standing.session_id = said_line.session_id
)
SELECT session_id FROM standing
