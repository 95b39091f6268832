INSERT INTO revision (tenant_id, run_id, revision_id, parent_revision_id, created_by_app_id, applied_patch_ids, rejected_patch_ids, rejections, document_ref, created_at)
SELECT $1, run_id, revision_id, parent_revision_id, created_by_app_id, applied_patch_ids, rejected_patch_ids, rejections, document_ref, created_at
FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::bigint[]) WITH ORDINALITY
  AS made (run_id, revision_id, parent_revision_id, created_by_app_id, applied_patch_ids, rejected_patch_ids, rejections, document_ref, created_at, place)
ORDER BY place
