-- One statement, so that of two who decide at once one comes too late.
UPDATE approvals
SET choice = $4, decided_by = $5, decided_at = $6, decision_reason = $7, result = $8
WHERE tenant_id = $1 AND approval_id = $2 AND subject_hash = $3 AND choice IS NULL AND expires_at > $6
RETURNING approval_id
