-- How many lines there are at least: asked before they are read. Plan: a probe of the primary key.
SELECT lines
FROM log_anchor_tree
WHERE tenant_id = $1
