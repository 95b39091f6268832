-- A use is an order that acts by a signed link; it stays when the order is pruned, or the link could be used again.
CREATE TABLE grant_uses (
  tenant_id text COLLATE "C" NOT NULL,
  link_hash text COLLATE "C" NOT NULL,
  work_order_id text COLLATE "C" NOT NULL,
  used_at text NOT NULL,
  PRIMARY KEY (tenant_id, link_hash, work_order_id)
);
SELECT writ_hold_to_tenant('grant_uses');
