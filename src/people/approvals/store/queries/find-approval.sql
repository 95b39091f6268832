SELECT approval_id, kind, title, reason, author, session_id, run_id, subject, subject_hash, choices, created_at, expires_at,
  choice, decided_by, decided_at, decision_reason, result
FROM approvals
WHERE tenant_id = $1 AND approval_id = $2
