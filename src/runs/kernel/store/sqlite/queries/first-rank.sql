-- The most urgent rank that has ready work of this capability, at or behind the given one.
SELECT rank
FROM work_item
WHERE tenant_id = ? AND capability = ? AND ready = 1 AND rank >= ?
ORDER BY rank
LIMIT 1
