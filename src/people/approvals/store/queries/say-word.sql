-- One statement, so that of two who speak at once one comes too late.
UPDATE approvals
SET choice = $4, decided_by = $5, decision_reason = $6, result = $7
WHERE tenant_id = $1 AND approval_id = $2 AND subject_hash = $3 AND choice IS NULL AND expires_at > $8
RETURNING approval_id
