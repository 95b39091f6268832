UPDATE approvals
SET choice = NULL, decided_by = NULL, decision_reason = NULL, result = NULL
WHERE tenant_id = $1 AND approval_id = $2 AND choice = $3 AND decided_at IS NULL
RETURNING approval_id
