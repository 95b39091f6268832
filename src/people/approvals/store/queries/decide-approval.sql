UPDATE approvals
SET decided_at = $4
WHERE tenant_id = $1 AND approval_id = $2 AND choice = $3 AND decided_at IS NULL
RETURNING approval_id
