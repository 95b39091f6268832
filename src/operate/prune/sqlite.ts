import type { Sqlite } from "#core/database";
import { domainError, messageOf } from "#core/errors";
import { type Clock, err, isoTime, ok } from "#core/values";
import type { PruneStore } from "./prune-store.ts";

/** Contexts are files here, and not the store's. */
export function sqlitePrune(database: Sqlite, tenant: string, clock: Clock): PruneStore {
  const keys = database.prepare(
    `DELETE FROM request_keys WHERE tenant_id = ? AND name IN
     (SELECT name FROM request_keys WHERE tenant_id = ? AND status IS NOT NULL AND claimed_at < ? LIMIT ?)`,
  );
  const orders = database.prepare(
    `DELETE FROM work_orders WHERE tenant_id = ? AND work_order_id IN
     (SELECT work_order_id FROM work_orders WHERE tenant_id = ? AND result IS NOT NULL AND claimed_at < ? LIMIT ?)`,
  );
  const sealed = database.prepare(
    `DELETE FROM sealed_values WHERE tenant_id = ? AND (session_id, tag) IN
     (SELECT session_id, tag FROM sealed_values WHERE tenant_id = ? AND expires_at <= ? LIMIT ?)`,
  );
  return {
    prune(before, limit) {
      try {
        const request_keys = keys.run(tenant, tenant, before, limit).changes;
        const work_orders = orders.run(tenant, tenant, before, limit).changes;
        const sealed_values = sealed.run(tenant, tenant, isoTime(clock.now()), limit).changes;
        return ok({ request_keys, work_orders, contexts: 0, sealed_values });
      } catch (thrown) {
        return err(
          domainError("STORE_UNAVAILABLE", `what is out of date could not be dropped: ${messageOf(thrown)}`, {
            cause: thrown,
          }),
        );
      }
    },
  };
}
