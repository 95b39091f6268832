SELECT session.session_id, session.tier, first.line, last.line
FROM log_session AS session
JOIN log_event AS first ON first.tenant_id = $1 AND first.session_id = session.session_id AND first.seq = 1
JOIN log_event AS last ON last.tenant_id = $1 AND last.session_id = session.session_id AND last.seq = session.head_seq
WHERE session.tenant_id = $1 AND session.session_id > $2
ORDER BY session.session_id
LIMIT $3
