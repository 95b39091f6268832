SELECT item.number, item.work_id, item.run_id, item.capability, item.status, item.lease_owner, item.lease_expires_at, item.lease_epoch, item.retry_count, item.max_retries, item.not_before, item.waiting_on, item.dependents, item.ready, item.ended_by, named.key
FROM unnest($2::text[], $3::text[]) AS named (run_id, key)
JOIN work_item AS item ON item.tenant_id = $1 AND item.run_id = named.run_id AND item.idempotency_key = named.key
