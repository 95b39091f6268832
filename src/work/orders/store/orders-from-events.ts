import type { WorkOrder } from "#core/contracts";
import { type Event, inOrder, isEvent, isFlow, type RecordedSession } from "#log";
import { claimOfOrder } from "../../flow/claim-of-order.ts";
import { type FlowDependencies } from "../../flow/flow.ts";
import { endOfOrder, resultOfRecord } from "../../replay/result-of-record.ts";
import type { RebuiltOrder } from "./order-store.ts";

const numbered = /^WO-(\d{8})-(\d{3,9})$/;

/** Far beyond what a day sees. A caller's own id may bear any number; counting on from there would use the numbers up. */
const highestNumber = 9_999_999;

/**
 * The orders that began to act, known again by what they asked for, and the numbers that are taken. Where a hook or a
 * redaction changed an order before it was recorded, the same order is refused under its id: it cannot be proven the same.
 */
export class OrdersFromEvents {
  readonly #orders: { readonly event: Event; readonly order: RebuiltOrder }[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #hashing: Pick<FlowDependencies, "keyedHash">;

  constructor(hashing: Pick<FlowDependencies, "keyedHash">) {
    this.#hashing = hashing;
  }

  read(session: RecordedSession): void {
    for (const { payload } of session.events)
      for (const [name, value] of Object.entries(payload)) if (name.endsWith("work_order_id")) this.#takeNumber(value);
    // A child is its parent's to begin again, a fork has a life of its own: neither was ever submitted.
    if (!isFlow(session) || session.start.parent_kind !== undefined) return;
    const event = session.events.find((each) => isEvent(each, "wo.started"));
    if (event && isEvent(event, "wo.started")) this.#orders.push({ event, order: this.#orderOf(session, event) });
  }

  rebuilt(): { readonly orders: readonly RebuiltOrder[]; readonly numbers: ReadonlyMap<string, number> } {
    const keys = new Set<string | null>();
    // An order that was rejected and corrected began twice; its last beginning counts.
    const last = new Map(inOrder(this.#orders).map(({ order }) => [order.work_order_id, order]));
    const orders = [...last.values()].map((order) => {
      const { idempotency_key } = order;
      const isTaken = idempotency_key !== null && keys.has(idempotency_key);
      keys.add(idempotency_key);
      return isTaken ? { ...order, idempotency_key: null } : order;
    });
    return { orders, numbers: this.#numbers };
  }

  #orderOf({ session_id, start, events }: RecordedSession, started: Event<"wo.started">): RebuiltOrder {
    const order = started.payload.work_order as unknown as WorkOrder;
    const { caller_id, authenticated_by = "local" } = start;
    const caller = { id: caller_id ?? started.payload.caller_id, authenticatedBy: authenticated_by };
    const ended = endOfOrder(events);
    // An order that was run at a terminal and interrupted looks like a submitted one: no server resumes it unasked.
    const isSubmitted = authenticated_by === "api_key" || order.idempotency_key !== undefined;
    return {
      ...claimOfOrder(this.#hashing, order, caller),
      session_id: ended || isSubmitted ? session_id : null,
      claimed_at: started.ts,
      result: ended ? JSON.stringify(resultOfRecord(session_id, events, ended)) : null,
    };
  }

  #takeNumber(id: unknown): void {
    const [, day = "", digits = ""] = (typeof id === "string" && numbered.exec(id)) || [];
    const number = Number(digits);
    if (digits !== "" && number <= highestNumber) this.#numbers.set(day, Math.max(number, this.#numbers.get(day) ?? 0));
  }
}
