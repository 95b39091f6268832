-- The time of leases is the machine's monotonic time plus this offset: all processes that share this file count alike, whatever
-- their wall clocks say. One row. `newest_ms` is the newest time that was given, to the minute.
CREATE TABLE machine_time (
  only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
  boot_id TEXT,
  offset_ms REAL NOT NULL,
  newest_ms INTEGER NOT NULL
) STRICT;

-- Every step of a wall clock that was noticed, for `writ doctor`.
CREATE TABLE clock_step (
  number INTEGER PRIMARY KEY,
  noticed_at INTEGER NOT NULL,
  by_ms INTEGER NOT NULL,
  cause TEXT NOT NULL CHECK (cause IN ('set', 'restart', 'two_machines'))
) STRICT;
