-- Of every tenant: they share the file, and so its time.
UPDATE work_item INDEXED BY work_leased
SET lease_expires_at = lease_expires_at + ?
WHERE status = 'leased'
