-- Texts by name, which is made of their hash: the law that sessions began under and the contexts that they were given, so that
-- any machine can go on with them.
CREATE TABLE kept_texts (
  tenant_id text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  content text NOT NULL,
  PRIMARY KEY (tenant_id, name)
);

-- The same orders as before, so that pages of them follow each other.
DROP INDEX work_orders_unfinished;
CREATE INDEX work_orders_unfinished ON work_orders (tenant_id, claimed_at, work_order_id) WHERE result IS NULL;
