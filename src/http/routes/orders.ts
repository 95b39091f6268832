import { err, type JsonObject, ok, type Result, sleep } from "#base";
import type { FlowResult } from "#flow";
import type {
  CycleRequestV1,
  ForkRequestV1,
  OrderSubmissionV1,
  PromptRequestV1,
  ReasonRequestV1,
  WorkOrderV1,
} from "#schemas";
import { halt, is, listOf, objectOf, orNull } from "../answer-shapes.ts";
import type { Submission } from "../orders/order-service.ts";
import { notHere } from "../problem.ts";
import { type Call, json, type Reply, type Route } from "../route.ts";
import type { Services } from "../services.ts";
import { sessionOf } from "./sessions.ts";

const maxWaitSeconds = 60;
/** What every order is answered with, and who would rather wait for. */
const accepting = {
  headers: {
    Prefer: {
      description: `\`wait=SECONDS\`: answer with the result, if it is there by then; at most ${maxWaitSeconds}.`,
      pattern: "wait *= *[0-9]+",
    },
  },
  answer: {
    status: 202,
    description: "The order is on disk and will be carried out.",
    schema: "accepted_order_v1" as const,
  },
  otherwise: [
    { status: 200, description: "Its result, for who preferred to wait.", schema: "flow_result_v1" as const },
  ],
};

const orderState = objectOf({
  work_order_id: is.text,
  session_id: orNull(is.text),
  claimed_at: is.time,
  state: { enum: ["unfinished", "done"] },
  result: orNull({ $ref: "flow_result_v1" }),
});

/** What a caller may have done: orders handed in, sessions taken up, forked and halted. */
export function orderRoutes(services: Services): readonly Route[] {
  const { runtime, orders } = services;
  const submit = async (call: Call): Promise<Result<Reply>> => {
    const { work_order } = call.body as OrderSubmissionV1;
    const key = call.header("idempotency-key");
    const keyed = key === undefined || work_order["idempotency_key"] !== undefined ? {} : { idempotency_key: key };
    return answer(orders.submit({ ...work_order, ...keyed }, call.caller), call, services);
  };
  /** An order that Writ wrote bears the name that was claimed for it, so that asking again finds it. */
  const submitWritten = (order: WorkOrderV1, call: Call): Promise<Result<Reply>> => {
    const { subject } = call;
    const named = subject ? { ...order, work_order_id: subject.id, created_at: subject.created_at } : order;
    return answer(orders.submit(named, call.caller), call, services);
  };
  return [
    {
      method: "POST",
      path: "/api/v1/requests",
      tag: "orders",
      summary: "Carries out a request in a person's own words: Writ writes the work order",
      right: "order.submit",
      body: "prompt_request_v1",
      ...accepting,
      async handle(call) {
        const { prompt, ...wishes } = call.body as PromptRequestV1;
        const order = await runtime.writeWorkOrder(prompt, wishes);
        return order.ok ? submitWritten(order.value, call) : order;
      },
    },
    {
      method: "POST",
      path: "/api/v1/workflows/:cycle_id/runs",
      tag: "orders",
      summary: "Runs a cycle: Writ writes the work order",
      right: "order.submit",
      body: "cycle_request_v1",
      ...accepting,
      async handle(call) {
        const { prompt, input = {}, mode, profile, allow } = call.body as CycleRequestV1;
        const order = await runtime.writeCycleOrder(call.params["cycle_id"] ?? "", {
          input: input as JsonObject,
          ...(prompt === undefined ? {} : { prompt }),
          ...(mode === undefined ? {} : { mode }),
          ...(profile === undefined ? {} : { profile }),
          ...(allow === undefined ? {} : { allow }),
        });
        return order.ok ? submitWritten(order.value, call) : order;
      },
    },
    {
      method: "POST",
      path: "/api/v1/flows",
      tag: "orders",
      summary: "Carries out a work order",
      right: "order.submit",
      body: "order_submission_v1",
      ...accepting,
      handle: submit,
    },
    {
      method: "POST",
      path: "/api/v1/work-orders",
      tag: "orders",
      summary: "The same as POST /api/v1/flows",
      right: "order.submit",
      body: "order_submission_v1",
      ...accepting,
      handle: submit,
    },
    {
      method: "GET",
      path: "/api/v1/work-orders/:work_order_id",
      tag: "orders",
      summary: "What became of a work order",
      right: "read",
      answer: { status: 200, description: "Its state, and its result once there is one.", schema: orderState },
      async handle({ params }) {
        const found = await runtime.store.findOrder(params["work_order_id"] ?? "");
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
      ...accepting,
      async handle(call) {
        const id = sessionOf(call.params);
        return id.ok ? answer(orders.resume(id.value, call.caller), call, services) : id;
      },
    },
    {
      method: "POST",
      path: "/api/v1/sessions/:session_id/fork",
      tag: "sessions",
      summary: "Goes on from an event of a session in a session of its own",
      right: "session.fork",
      body: "fork_request_v1",
      ...accepting,
      async handle(call) {
        const id = sessionOf(call.params);
        if (!id.ok) return id;
        const { body, caller, subject } = call;
        return answer(orders.fork(id.value, { wishes: body as ForkRequestV1, caller, subject }), call, services);
      },
    },
    {
      method: "GET",
      path: "/api/v1/halts",
      tag: "halts",
      summary: "The halts that stand",
      right: "read",
      answer: { status: 200, description: "All of them.", schema: listOf("halts", halt) },
      handle: () => standing(services),
    },
    {
      method: "POST",
      path: "/api/v1/halts",
      tag: "halts",
      summary: "Halts everything",
      right: "session.halt",
      body: "reason_request_v1",
      answer: { status: 200, description: "The halts that stand.", schema: listOf("halts", halt) },
      async handle({ body, caller }) {
        const halted = await runtime.halt(null, (body as ReasonRequestV1).reason, caller.id);
        return halted.ok ? standing(services) : halted;
      },
    },
    {
      method: "DELETE",
      path: "/api/v1/halts",
      tag: "halts",
      summary: "Lifts the halt of everything",
      right: "session.halt",
      answer: { status: 200, description: "The halts that stand.", schema: listOf("halts", halt) },
      async handle({ caller }) {
        const lifted = await runtime.liftHalt(null, caller.id);
        return lifted.ok ? standing(services) : lifted;
      },
    },
    {
      method: "POST",
      path: "/api/v1/sessions/:session_id/halt",
      tag: "halts",
      summary: "Halts a session",
      right: "session.halt",
      body: "reason_request_v1",
      answer: { status: 200, description: "The halts that stand.", schema: listOf("halts", halt) },
      async handle({ body, caller, params }) {
        const id = sessionOf(params);
        if (!id.ok) return id;
        // Who means to stop a session and misspells it must not believe that it stopped.
        const there = await runtime.log.locate(id.value);
        if (!there.ok) return there;
        const halted = await runtime.halt(id.value, (body as ReasonRequestV1).reason, caller.id);
        return halted.ok ? standing(services) : halted;
      },
    },
    {
      method: "DELETE",
      path: "/api/v1/sessions/:session_id/halt",
      tag: "halts",
      summary: "Lifts the halt of a session",
      right: "session.halt",
      answer: { status: 200, description: "The halts that stand.", schema: listOf("halts", halt) },
      async handle({ caller, params }) {
        const id = sessionOf(params);
        if (!id.ok) return id;
        const lifted = await runtime.liftHalt(id.value, caller.id);
        return lifted.ok ? standing(services) : lifted;
      },
    },
  ];
}

async function standing({ runtime }: Services): Promise<Result<Reply>> {
  const halts = await runtime.halts();
  return halts.ok ? ok(json({ halts: halts.value, next: null })) : halts;
}

/** Answers once the order is on disk, or, to who prefers to wait, with its result. */
async function answer(submitted: Result<Submission>, call: Call, { clock }: Services): Promise<Result<Reply>> {
  if (!submitted.ok) return submitted;
  const { accepted: acceptance, result } = submitted.value;
  const order = await acceptance;
  if (!order.ok) return order;
  const seconds = waitOf(call.header("prefer"));
  const done = seconds === 0 ? undefined : await within(result, seconds * 1000, clock, call.signal);
  return ok(done ? json(done, 200) : json({ ...order.value, status: "accepted" }, 202));
}

function waitOf(prefer: string | undefined): number {
  const seconds = /(?:^|[,;\s])wait *= *"?(\d{1,5})"?(?:$|[,;\s])/i.exec(prefer ?? "")?.[1];
  return seconds === undefined ? 0 : Math.min(Number(seconds), maxWaitSeconds);
}

async function within(
  result: Promise<FlowResult>,
  ms: number,
  clock: Services["clock"],
  signal: AbortSignal,
): Promise<FlowResult | undefined> {
  const waiting = new AbortController();
  const stop = () => waiting.abort();
  signal.addEventListener("abort", stop, { once: true });
  const late = sleep(clock, ms, waiting.signal).then(() => undefined);
  try {
    return await Promise.race([result, late]);
  } finally {
    stop();
    signal.removeEventListener("abort", stop);
  }
}
