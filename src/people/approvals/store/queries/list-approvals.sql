SELECT approval_id, kind, title, reason, author, session_id, run_id, subject, subject_hash, choices, created_at, expires_at,
  choice, decided_by, decided_at, decision_reason, result
FROM approvals
WHERE tenant_id = $1
  AND ($2::boolean IS NULL OR (decided_at IS NOT NULL) = $2::boolean)
  AND ($3::text IS NULL OR session_id = $3::text)
  AND ($4::text IS NULL OR (created_at, approval_id) < (
    SELECT earlier.created_at, earlier.approval_id FROM approvals AS earlier
    WHERE earlier.tenant_id = $1 AND earlier.approval_id = $4::text
  ))
ORDER BY created_at DESC, approval_id DESC
LIMIT $5
