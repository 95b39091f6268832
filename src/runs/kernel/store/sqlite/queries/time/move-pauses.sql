-- The pause before another try is a duration. A time that was asked for (no try before) is one of the calendar, and stays.
UPDATE work_item INDEXED BY work_delayed
SET not_before = not_before + ?
WHERE status = 'queued' AND ready = 0 AND waiting_on = 0 AND retry_count > 0
