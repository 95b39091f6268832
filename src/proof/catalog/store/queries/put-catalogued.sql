INSERT INTO session_catalog (tenant_id, session_id, head_hash, kind, outcome, closed, started_at, caller, cycle_id, micro_usd, tokens, took_ms, events, refused_acts, skills, tools, info, shown, allowed, saw, wrote, shadows, words)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23)
ON CONFLICT (tenant_id, session_id) DO UPDATE
SET head_hash = excluded.head_hash,
  kind = excluded.kind,
  outcome = excluded.outcome,
  closed = excluded.closed,
  started_at = excluded.started_at,
  caller = excluded.caller,
  cycle_id = excluded.cycle_id,
  micro_usd = excluded.micro_usd,
  tokens = excluded.tokens,
  took_ms = excluded.took_ms,
  events = excluded.events,
  refused_acts = excluded.refused_acts,
  skills = excluded.skills,
  tools = excluded.tools,
  info = excluded.info,
  shown = excluded.shown,
  allowed = excluded.allowed,
  saw = excluded.saw,
  wrote = excluded.wrote,
  shadows = excluded.shadows,
  words = excluded.words
