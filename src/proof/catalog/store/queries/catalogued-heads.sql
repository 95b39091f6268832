SELECT session_id, head_hash FROM session_catalog WHERE tenant_id = $1
