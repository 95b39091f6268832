SELECT target, by_whom, reason, halted_at, grants
FROM halts
WHERE tenant_id = $1
ORDER BY halted_at, target
