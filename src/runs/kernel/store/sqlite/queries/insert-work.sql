INSERT INTO work_item (tenant_id, run_id, work_id, capability, objective, input, depends_on, status, lease_epoch, retry_count, max_retries, rank,
  not_before, idempotency_key, waiting_on, dependents, ready, open, created_at, updated_at)
VALUES (?, ?, ?, ?, ?, ?, ?, 'queued', 0, 0, ?, ?, ?, ?, ?, 0, ?, 1, ?, ?)
