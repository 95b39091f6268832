-- Where the tree stands, locked. Nothing is joined to it: after waiting for the lock a statement sees this row as it is now and
-- every other as it was before the wait. Plan: a probe of the primary key.
SELECT lines, tree_size, peaks
FROM log_anchor_tree
WHERE tenant_id = $1
FOR NO KEY UPDATE
