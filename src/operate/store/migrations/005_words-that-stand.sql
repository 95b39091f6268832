-- A word that was said and not carried out yet still waits: what is open is what has no time of its decision.
DROP INDEX approvals_open;
CREATE INDEX approvals_undecided ON approvals (tenant_id, created_at) WHERE decided_at IS NULL;
