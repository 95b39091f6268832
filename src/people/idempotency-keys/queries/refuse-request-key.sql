-- A status without an answer: who asks again begins again, and what is old is found by its age.
UPDATE request_keys
SET status = 0
WHERE tenant_id = $1 AND name = $2 AND status IS NULL
