-- Plan: sealed_values_by_age from its first entry up to $2.
DELETE FROM sealed_values
WHERE tenant_id = $1 AND expires_at <= $2
RETURNING tag
