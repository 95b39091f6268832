-- A role that is bound to a tenant sees that tenant's rows alone (src/store/postgres/migrate.ts).
SELECT writ_hold_to_tenant('log_session');
SELECT writ_hold_to_tenant('log_event');
SELECT writ_hold_to_tenant('log_writer');
SELECT writ_hold_to_tenant('log_anchor');
SELECT writ_hold_to_tenant('log_anchor_tree');
