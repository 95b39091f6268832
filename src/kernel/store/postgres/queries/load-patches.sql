SELECT patch.patch_id, patch.run_id, patch.author_id, patch.applied_in_revision_id, patch.rejected_in_revision_id
FROM unnest($2::text[], $3::text[]) AS named (run_id, patch_id)
JOIN patch ON patch.tenant_id = $1 AND patch.run_id = named.run_id AND patch.patch_id = named.patch_id
