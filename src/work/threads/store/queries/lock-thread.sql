-- Held until the transaction ends: two processes that begin messages of one thread do so one after the other.
SELECT pg_advisory_xact_lock(hashtextextended($1 || ' ' || $2, 9))
