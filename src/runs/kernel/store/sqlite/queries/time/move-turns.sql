UPDATE run
SET turn_expires_at = turn_expires_at + :by, turn_due_at = turn_due_at + :by,
  turn_not_before = CASE turn_not_before WHEN 0 THEN 0 ELSE turn_not_before + :by END
WHERE status = 'active'
