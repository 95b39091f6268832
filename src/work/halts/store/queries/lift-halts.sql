-- As it was read: one that was ordered anew since stands.
DELETE FROM halts
WHERE tenant_id = $1 AND target = $2 AND by_whom = $3 AND halted_at = $4
RETURNING target
