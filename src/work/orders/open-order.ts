import type { MandateV1, SchemaRegistry, TurnRequestV1, WorkOrder } from "#core/contracts";
import { type DomainError, domainError } from "#core/errors";
import { type Clock, err, isSessionId, ok, type Result, type SessionId } from "#core/values";
import { createMandate, type Mandate } from "#governance/mandate";
import type { EventLog } from "#log";
import { haltSwitch } from "../halts/halt-switch.ts";
import type { HaltStore } from "../halts/store/halt-store.ts";
import { readEvents } from "../replay/read-events.ts";
import type { OrderStore } from "./store/order-store.ts";

export interface OpenOrderSources {
  readonly store: Pick<OrderStore, "findOrder"> & HaltStore;
  readonly log: EventLog;
  readonly schemas: SchemaRegistry;
  readonly clock: Clock;
}

/** An order that has begun to act and has not ended, with the mandate that it acts under. */
export interface OpenOrder {
  readonly order: WorkOrder;
  readonly session_id: SessionId;
  readonly mandate: Mandate;
}

/**
 * The order that a turn asks to run under, by its id or by the session in which it runs. It was submitted by the same caller, has
 * begun, has not ended and is not halted.
 */
export async function openOrderOf(
  sources: OpenOrderSources,
  turn: Pick<TurnRequestV1, "work_order_id" | "session_id">,
  caller: string,
): Promise<Result<OpenOrder>> {
  const found = turn.session_id === undefined ? await sessionOfOrder(sources, turn) : sessionNamed(turn.session_id);
  if (!found.ok) return found;
  const session_id = found.value;
  const events = await readEvents(sources.log, session_id);
  if (!events.ok) return events.error.code === "NOT_FOUND" ? err(refusal(turn, `${session_id} is not here`)) : events;
  const started = events.value.find((event) => event.type === "wo.started");
  if (!started) return err(refusal(turn, "it has not begun to act"));
  const order = started.payload.work_order as unknown as WorkOrder;
  if (turn.work_order_id !== undefined && turn.work_order_id !== order.work_order_id)
    return err(refusal(turn, `${session_id} carries out ${order.work_order_id}`));
  if (started.payload.caller_id !== caller)
    return err(refusal(turn, `it was submitted by ${started.payload.caller_id}, not by ${caller}`));
  if (events.value.some(({ type }) => type === "session.close")) return err(refusal(turn, "it has ended"));
  const halted = await haltSwitch(sources.store, sources.clock).standing(session_id);
  if (!halted.ok) return halted;
  if (halted.value) return err(refusal(turn, `it is halted: ${halted.value.reason}`));
  const mandate = mandateOf(sources, started.payload);
  if (!mandate.ok) return err(refusal(turn, mandate.error.message));
  return ok({ order, session_id, mandate: mandate.value });
}

async function sessionOfOrder(
  { store }: OpenOrderSources,
  turn: Pick<TurnRequestV1, "work_order_id">,
): Promise<Result<SessionId>> {
  const found = await store.findOrder(turn.work_order_id ?? "");
  if (!found.ok) return found;
  if (!found.value) return err(refusal(turn, "no such order was submitted here"));
  if (found.value.result !== null) return err(refusal(turn, "it has ended"));
  const { session_id } = found.value;
  return session_id !== null && isSessionId(session_id)
    ? ok(session_id)
    : err(refusal(turn, "no session carries it out"));
}

function sessionNamed(session_id: string): Result<SessionId> {
  return isSessionId(session_id)
    ? ok(session_id)
    : err(refusal({ session_id }, `${JSON.stringify(session_id)} is no session id`));
}

function mandateOf({ schemas }: OpenOrderSources, { mandate }: { readonly mandate?: MandateV1 }): Result<Mandate> {
  if (mandate) return createMandate(mandate, schemas);
  return err(domainError("NOT_AUTHORIZED", "it began before mandates were recorded"));
}

/** Why a turn may not run under the order that it names. */
export function refusal(turn: Pick<TurnRequestV1, "work_order_id" | "session_id">, why: string): DomainError {
  const [named, where] =
    turn.work_order_id === undefined
      ? [turn.session_id, "session_id of the turn"]
      : [turn.work_order_id, "work_order_id of the turn"];
  return domainError("NOT_AUTHORIZED", `the turn asks to run under ${named}: ${why}`, {
    details: {
      where,
      hint: "leave work_order_id and session_id out: the turn gets an order of its own, or name an open order of yours that is wide enough",
    },
  });
}
