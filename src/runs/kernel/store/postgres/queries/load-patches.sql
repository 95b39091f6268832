-- Plan: a probe of the primary key for each.
SELECT patch.patch_id, patch.run_id, patch.author_id, patch.applied_in_revision_id, patch.rejected_in_revision_id
FROM unnest($2::text[], $3::text[]) AS named (run_id, patch_id)
CROSS JOIN LATERAL (
  SELECT patch_id, run_id, author_id, applied_in_revision_id, rejected_in_revision_id FROM patch
  WHERE tenant_id = $1 AND run_id = named.run_id AND patch_id = named.patch_id
  OFFSET 0
) AS patch
