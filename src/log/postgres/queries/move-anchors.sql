UPDATE log_anchor_tree
SET lines = $2, tree_size = $3, peaks = $4
WHERE tenant_id = $1
