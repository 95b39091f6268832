INSERT INTO machine_time (only_row, boot_id, offset_ms, newest_ms) VALUES (1, ?, ?, ?)
ON CONFLICT (only_row) DO UPDATE SET boot_id = excluded.boot_id, offset_ms = excluded.offset_ms, newest_ms = excluded.newest_ms
