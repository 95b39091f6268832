SELECT name, content AS text
FROM kept_texts
WHERE tenant_id = $1 AND name = ANY ($2::text[])
