-- The tree, and the newest line, which is its checkpoint. Plan: two probes of primary keys.
SELECT tree.lines, tree.tree_size, tree.peaks, newest.line
FROM log_anchor_tree AS tree
LEFT JOIN log_anchor AS newest ON newest.tenant_id = $1 AND newest.number = tree.lines
WHERE tree.tenant_id = $1
FOR NO KEY UPDATE OF tree
