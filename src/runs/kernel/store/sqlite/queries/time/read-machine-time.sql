SELECT boot_id, offset_ms, newest_ms FROM machine_time WHERE only_row = 1
