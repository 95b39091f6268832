import type { CycleRequestV1, ForkRequestV1, OrderSubmissionV1, PromptRequestV1, WorkOrder } from "#core/contracts";
import { type Call, is, json, notHere, objectOf, orNull, type Reply, type Route } from "#core/routes";
import { type Clock, err, type JsonObject, ok, type Result } from "#core/values";
import type { LogReader } from "#log";
import { sessionOf } from "#proof";
import type { OrderStore } from "../orders/store/order-store.ts";
import type { CycleOrderInput } from "../orders/write-cycle-order.ts";
import type { OrderInput } from "../orders/write-work-order.ts";
import { accepting } from "./accepting.ts";
import type { OrderService, Submission } from "./order-service.ts";
import { preferredResult } from "./preferred-result.ts";
import { rightsRoute } from "./rights.ts";

const orderState = objectOf({
  work_order_id: is.text,
  session_id: orNull(is.text),
  claimed_at: is.time,
  state: { enum: ["unfinished", "done"] },
  result: orNull({ $ref: "flow_result_v2" }),
});

export interface OrderRouteParts {
  readonly orders: Pick<OrderService, "submit" | "resume" | "fork">;
  readonly store: Pick<OrderStore, "findOrder">;
  readonly writeWorkOrder: (prompt: string, wanted: OrderInput) => Promise<Result<WorkOrder>>;
  readonly writeCycleOrder: (cycle_id: string, wanted: CycleOrderInput) => Promise<Result<WorkOrder>>;
  readonly nextOrderId: () => Promise<Result<string>>;
  readonly log: Pick<LogReader, "read">;
  readonly clock: Clock;
}

async function submit(parts: OrderRouteParts, call: Call): Promise<Result<Reply>> {
  const { work_order } = call.body as OrderSubmissionV1;
  const key = call.header("idempotency-key");
  const keyed = key === undefined || work_order["idempotency_key"] !== undefined ? {} : { idempotency_key: key };
  return answer(parts.orders.submit({ ...work_order, ...keyed }, call.caller), call, parts);
}

/** An order that Writ wrote gets the id that was reserved for it, so that a repetition finds it. */
function submitWritten(order: WorkOrder, call: Call, parts: OrderRouteParts): Promise<Result<Reply>> {
  const { reservedId } = call;
  const named = reservedId ? { ...order, work_order_id: reservedId.id, created_at: reservedId.created_at } : order;
  return answer(parts.orders.submit(named, call.caller), call, parts);
}

const reserveOrderId = ({ nextOrderId }: OrderRouteParts): Promise<Result<string>> => nextOrderId();

/** Work orders: submitted, resumed, forked. */
export const orderRoutes: readonly Route<OrderRouteParts>[] = [
  rightsRoute,
  {
    method: "POST",
    path: "/api/v1/requests",
    tag: "orders",
    summary: "Carries out a request in a person's own words: Writ writes the work order",
    right: "order.submit",
    query: {},
    body: "prompt_request_v1",
    ...accepting,
    reserveId: reserveOrderId,
    isSecret: false,
    isProbe: false,
    async handle(parts, call) {
      const { prompt, ...wanted } = call.body as PromptRequestV1;
      const order = await parts.writeWorkOrder(prompt, wanted);
      return order.ok ? submitWritten(order.value, call, parts) : order;
    },
  },
  {
    method: "POST",
    path: "/api/v1/workflows/:cycle_id/runs",
    tag: "orders",
    summary: "Runs a cycle: Writ writes the work order",
    right: "order.submit",
    query: {},
    body: "cycle_request_v1",
    ...accepting,
    reserveId: reserveOrderId,
    isSecret: false,
    isProbe: false,
    async handle(parts, call) {
      const { prompt, input = {}, mode, profile, allow } = call.body as CycleRequestV1;
      const order = await parts.writeCycleOrder(call.params["cycle_id"] ?? "", {
        input: input as JsonObject,
        ...(prompt === undefined ? {} : { prompt }),
        ...(mode === undefined ? {} : { mode }),
        ...(profile === undefined ? {} : { profile }),
        ...(allow === undefined ? {} : { allow }),
      });
      return order.ok ? submitWritten(order.value, call, parts) : order;
    },
  },
  {
    method: "POST",
    path: "/api/v1/flows",
    tag: "orders",
    summary: "Carries out a work order",
    right: "order.submit",
    query: {},
    body: "order_submission_v1",
    ...accepting,
    reserveId: null,
    isSecret: false,
    isProbe: false,
    handle: submit,
  },
  {
    method: "POST",
    path: "/api/v1/work-orders",
    tag: "orders",
    summary: "The same as POST /api/v1/flows",
    right: "order.submit",
    query: {},
    body: "order_submission_v1",
    ...accepting,
    reserveId: null,
    isSecret: false,
    isProbe: false,
    handle: submit,
  },
  {
    method: "GET",
    path: "/api/v1/work-orders/:work_order_id",
    tag: "orders",
    summary: "What became of a work order",
    right: "read",
    query: {},
    headers: {},
    body: null,
    answer: { status: 200, description: "Its state, and its result once there is one.", schema: orderState },
    otherAnswers: [],
    reserveId: null,
    isSecret: false,
    isProbe: false,
    async handle({ store }, { params }) {
      const found = await store.findOrder(params["work_order_id"] ?? "");
      if (!found.ok) return found;
      if (!found.value) return err(notHere(`work order ${JSON.stringify(params["work_order_id"] ?? "")}`));
      const { work_order_id, session_id, claimed_at, result } = found.value;
      const state = result === null ? "unfinished" : "done";
      return ok(
        json({ work_order_id, session_id, claimed_at, state, result: result === null ? null : JSON.parse(result) }),
      );
    },
  },
  {
    method: "POST",
    path: "/api/v1/sessions/:session_id/resume",
    tag: "sessions",
    summary: "Takes a stopped session up under the law that it began with",
    right: "session.resume",
    query: {},
    body: null,
    ...accepting,
    reserveId: null,
    isSecret: false,
    isProbe: false,
    async handle(parts, call) {
      const id = sessionOf(call.params);
      return id.ok ? answer(parts.orders.resume(id.value, call.caller), call, parts) : id;
    },
  },
  {
    method: "POST",
    path: "/api/v1/sessions/:session_id/fork",
    tag: "sessions",
    summary: "Goes on from an event of a session in a session of its own",
    right: "session.fork",
    query: {},
    body: "fork_request_v1",
    ...accepting,
    reserveId: reserveOrderId,
    isSecret: false,
    isProbe: false,
    async handle(parts, call) {
      const id = sessionOf(call.params);
      if (!id.ok) return id;
      const { body, caller, reservedId } = call;
      return answer(parts.orders.fork(id.value, { wanted: body as ForkRequestV1, caller, reservedId }), call, parts);
    },
  },
];

/** Answers once the order is on disk, or, with `Prefer: wait`, with its result. */
async function answer(
  submitted: Result<Submission>,
  call: Call,
  { clock }: Pick<OrderRouteParts, "clock">,
): Promise<Result<Reply>> {
  if (!submitted.ok) return submitted;
  const { accepted: acceptance, result } = submitted.value;
  const order = await acceptance;
  if (!order.ok) return order;
  const done = await preferredResult(result, call, clock);
  return ok(done ? json(done, 200) : json({ ...order.value, status: "accepted" }, 202));
}
