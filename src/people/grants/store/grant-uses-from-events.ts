import type { WorkOrder } from "#core/contracts";
import { isEvent, type RecordedSession } from "#log";
import { hashOfLink } from "../link-binding.ts";
import type { GrantUse } from "./grant-use-store.ts";

/** The uses of signed links that recorded orders took: each order that began to act by one. */
export class GrantUsesFromEvents {
  readonly #uses = new Map<string, GrantUse>();

  read({ events, start }: RecordedSession): void {
    if (start.parent_kind === "child") return; // its rights are its parent's
    for (const event of events) {
      if (!isEvent(event, "wo.started")) continue;
      const { work_order_id, authorization } = event.payload.work_order as unknown as WorkOrder;
      for (const link of authorization?.chain ?? []) {
        if (link.range === undefined && link.order_hash === undefined) continue;
        const use = { link_hash: hashOfLink(link), work_order_id, used_at: event.ts };
        this.#uses.set(`${use.link_hash} ${work_order_id}`, use);
      }
    }
  }

  rebuilt(): readonly GrantUse[] {
    return [...this.#uses.values()];
  }
}
