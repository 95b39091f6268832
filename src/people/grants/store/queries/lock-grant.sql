-- One transaction at a time counts the uses of a link; the count and the use that follows are one.
SELECT pg_advisory_xact_lock(hashtextextended($1 || ':' || $2, 0))
