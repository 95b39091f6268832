-- Plan: the primary key by the runs and patches named.
UPDATE patch
SET applied_in_revision_id = settled.applied_in, rejected_in_revision_id = settled.rejected_in
FROM unnest($2::text[], $3::text[], $4::text[], $5::text[]) AS settled (run_id, patch_id, applied_in, rejected_in)
WHERE patch.tenant_id = $1 AND patch.run_id = settled.run_id AND patch.patch_id = settled.patch_id
  AND patch.run_id = ANY ($2::text[]) AND patch.patch_id = ANY ($3::text[])
