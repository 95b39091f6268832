import type { WorkOrder } from "#core/contracts";
import { type Caller, canonicalJson } from "#core/values";
import type { OrderClaim } from "../orders/store/order-store.ts";
import type { FlowDependencies } from "./flow.ts";
import { requestHash } from "./request-hash.ts";

/** The claim by which an order is recognised in any process, also after a crash. */
export function claimOfOrder(
  deps: Pick<FlowDependencies, "keyedHash">,
  order: WorkOrder,
  caller: Pick<Caller, "id" | "authenticatedBy"> | undefined,
): Omit<OrderClaim, "session_id"> {
  // Two submissions with the same content are the same order; their numbers and times may differ.
  const { work_order_id, created_at: _, ...asked } = order;
  const { idempotency_key: key } = asked;
  // A remote caller has its own namespace of keys, so that it can neither use nor discover the keys of another caller. Local
  // callers of a workspace share one, so that each of them can continue what a run began.
  const name = caller?.authenticatedBy === "api_key" ? canonicalJson([caller.id, key ?? ""]) : (key ?? "");
  return {
    work_order_id,
    // A key may contain private text. The store only compares it, so a keyed hash is enough.
    idempotency_key: key === undefined ? null : deps.keyedHash(name),
    order_hash: requestHash(deps, { work_order: key === undefined ? asked : asFirstWritten(asked) }),
  };
}

/**
 * An app asks a question under the same key again, also after Writ was renewed. The first version of such an order did not say
 * that it reads the workspace; it is the same order.
 */
function asFirstWritten(asked: Omit<WorkOrder, "work_order_id" | "created_at">): Record<string, unknown> {
  const { allowed_files, read_files, ...more } = asked.scope;
  const isPlain = Object.keys(more).length === 0 && read_files?.length === 1 && read_files[0] === "**";
  return asked.schema_version === "v2" && isPlain
    ? { ...asked, schema_version: "v1", scope: { allowed_files } }
    : asked;
}
