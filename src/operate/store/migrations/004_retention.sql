-- What ended long ago is found by its age, so that it can be let go (`writ prune`).
CREATE INDEX request_keys_answered ON request_keys (tenant_id, claimed_at) WHERE status IS NOT NULL;
CREATE INDEX work_orders_finished ON work_orders (tenant_id, claimed_at) WHERE result IS NOT NULL;

-- The law is the same for many sessions and stays. A context belongs to one session.
ALTER TABLE kept_texts ADD COLUMN kept_at timestamptz NOT NULL DEFAULT clock_timestamp();
CREATE INDEX kept_contexts ON kept_texts (tenant_id, kept_at) WHERE name LIKE '%.context.json';
