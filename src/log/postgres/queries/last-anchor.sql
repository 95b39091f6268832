-- The newest line, which is the checkpoint of the tree; asked once the tree is locked. Plan: two probes of primary keys.
SELECT newest.line
FROM log_anchor_tree AS tree
JOIN log_anchor AS newest ON newest.tenant_id = $1 AND newest.number = tree.lines
WHERE tree.tenant_id = $1
