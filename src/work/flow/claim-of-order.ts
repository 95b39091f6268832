import type { WorkOrderV1 } from "#core/contracts";
import { type Caller, canonicalJson } from "#core/values";
import type { OrderClaim } from "../orders/store/order-store.ts";
import type { FlowDependencies } from "./flow.ts";
import { requestHash } from "./request-hash.ts";

/** By what an order is known again, in whichever process and after whatever was lost. */
export function claimOfOrder(
  deps: Pick<FlowDependencies, "keyedHash">,
  order: WorkOrderV1,
  caller: Pick<Caller, "id" | "authenticatedBy"> | undefined,
): Omit<OrderClaim, "session_id"> {
  // Two submissions are the same order when they ask for the same, whatever number and time their writers put on them.
  const { work_order_id, created_at: _, ...asked } = order;
  const { idempotency_key: key } = asked;
  // Whoever comes through a door has keys of their own: nobody can take, or find out, those of another. The people at the
  // machines of a workspace share theirs, so that any of them goes on with what a run had begun.
  const name = caller?.authenticatedBy === "api_key" ? canonicalJson([caller.id, key ?? ""]) : (key ?? "");
  return {
    work_order_id,
    // Callers make keys of whatever names their order; the store needs to know it again, not to tell it.
    idempotency_key: key === undefined ? null : deps.keyedHash(name),
    order_hash: requestHash(deps, { work_order: asked }),
  };
}
