SELECT info, shown FROM session_catalog WHERE tenant_id = $1 AND session_id = ANY ($2::text[])
