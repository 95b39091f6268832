SELECT content
FROM document
WHERE tenant_id = $1 AND sha256 = $2
