INSERT INTO approvals (tenant_id, approval_id, kind, title, reason, author, session_id, run_id, subject, subject_hash, choices, created_at, expires_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
ON CONFLICT DO NOTHING
