INSERT INTO tool_pins (tenant_id, server, tool, name, hash, launch, definition, approved_at, approved_by)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
ON CONFLICT (tenant_id, server, tool) DO UPDATE SET name = excluded.name, hash = excluded.hash, launch = excluded.launch,
  definition = excluded.definition, approved_at = excluded.approved_at, approved_by = excluded.approved_by
