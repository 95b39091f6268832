-- Whether any lease has run out. Plan: the first of work_leased. Asked before the rows are: 0.4 µs here instead of 18.
SELECT 1
FROM work_item
WHERE tenant_id = ? AND lease_expires_at <= ? AND status = 'leased'
LIMIT 1
