DELETE FROM tool_pins
WHERE tenant_id = $1 AND server = $2 AND tool = $3
