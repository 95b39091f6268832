-- A role that is bound to a tenant sees that tenant's rows alone (src/store/postgres/migrate.ts).
SELECT writ_hold_to_tenant('run');
SELECT writ_hold_to_tenant('work_item');
SELECT writ_hold_to_tenant('work_dependency');
SELECT writ_hold_to_tenant('patch');
SELECT writ_hold_to_tenant('revision');
SELECT writ_hold_to_tenant('event_log');
SELECT writ_hold_to_tenant('document');
SELECT writ_hold_to_tenant('work_ready');
SELECT writ_hold_to_tenant('work_delayed');
SELECT writ_hold_to_tenant('work_open');
SELECT writ_hold_to_tenant('work_leased');
