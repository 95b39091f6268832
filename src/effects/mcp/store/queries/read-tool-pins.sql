SELECT server, tool, name, hash, launch, definition, approved_at, approved_by
FROM tool_pins
WHERE tenant_id = $1
ORDER BY server, tool
