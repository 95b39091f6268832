SELECT item.number, item.work_id, item.run_id, item.capability, item.status, item.lease_owner, item.lease_expires_at, item.lease_epoch, item.retry_count, item.max_retries, item.not_before, item.waiting_on, item.dependents, item.ready, item.ended_by
FROM work_dependency AS edge
JOIN work_item AS item ON item.run_id = edge.run_id AND item.work_id = edge.work_id
WHERE edge.run_id = ? AND edge.depends_on = ? AND item.tenant_id = ?
ORDER BY item.number
