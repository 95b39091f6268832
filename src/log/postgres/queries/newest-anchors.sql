-- The newest head of each of these. Plan: the end of log_anchor_session for each.
SELECT wanted.session_id, newest.line
FROM unnest($2::text[]) AS wanted (session_id)
CROSS JOIN LATERAL (
  SELECT line FROM log_anchor
  WHERE tenant_id = $1 AND session_id = wanted.session_id
  ORDER BY seq DESC
  LIMIT 1
) AS newest
