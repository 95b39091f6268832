INSERT INTO patch (tenant_id, run_id, patch_id, author_kind, author_id, source_work_id, base_revision_id, ops, created_at)
SELECT $1, run_id, patch_id, author_kind, author_id, source_work_id, base_revision_id, ops, created_at
FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::bigint[]) WITH ORDINALITY
  AS made (run_id, patch_id, author_kind, author_id, source_work_id, base_revision_id, ops, created_at, place)
ORDER BY place
