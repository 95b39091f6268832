INSERT INTO log_anchor_tree (tenant_id, lines, tree_size, peaks)
VALUES ($1, 0, 0, '{}')
ON CONFLICT DO NOTHING
