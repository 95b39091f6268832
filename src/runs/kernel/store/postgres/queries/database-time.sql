-- The one clock of leases, read once the locks are held.
SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint
