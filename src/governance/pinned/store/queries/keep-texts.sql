-- A name stands for one content, so what is there stays. Waits for a transaction that is writing the same. Plan: a probe of the primary key each.
INSERT INTO kept_texts (tenant_id, name, content)
SELECT $1, name, content FROM unnest($2::text[], $3::text[]) AS said (name, content)
ORDER BY name
ON CONFLICT DO NOTHING
