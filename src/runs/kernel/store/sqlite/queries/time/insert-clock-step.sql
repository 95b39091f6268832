INSERT INTO clock_step (noticed_at, by_ms, cause) VALUES (?, ?, ?)
