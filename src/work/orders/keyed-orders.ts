import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import { type FlowResult } from "../flow/execution-context.ts";
import { type FlowOptions } from "../flow/flow.ts";
import { type InterruptedOrder } from "../flow/order-book.ts";
import { type FlowRunner } from "../flow/run-flow.ts";
import { readEvents } from "../replay/read-events.ts";
import { type ResumeOptions, resultOfClosed } from "../replay/resume-flow.ts";
import { type ControlSources, type SessionControl } from "../replay/session-control.ts";
import { failedOrder } from "./failed-order.ts";
import { type KeyedOrder, numberOrder, type OrderNumbers } from "./write-order.ts";

export interface KeyedOrders {
  /**
   * Runs an order once per key, however often it is asked for and whatever died meanwhile: what ended is given back, what
   * was interrupted goes on where it stopped, what never began is begun.
   */
  runKeyedOrder(order: KeyedOrder, options?: Pick<FlowOptions, "signal" | "onEvent" | "onText">): Promise<FlowResult>;
  /** Brings an order to its end that a process which is gone had begun. */
  resumeOrder(begun: InterruptedOrder, options?: Omit<ResumeOptions, "by">): Promise<Result<FlowResult>>;
}

/** How often an order that another process took up and dropped is begun anew before that is an answer. */
const rounds = 3;

export function keyedOrders(
  sources: ControlSources & OrderNumbers & { readonly runner: FlowRunner },
  control: SessionControl,
): KeyedOrders {
  return {
    resumeOrder: (begun, options = {}) => resumeInterrupted(sources, control, begun, options),
    async runKeyedOrder(order, options = {}) {
      for (let round = 1; ; round++) {
        const numbered = await numberOrder(order, sources);
        if (!numbered.ok) return failedOrder(numbered.error);
        const result = await sources.runner.run(
          { work_order: { ...numbered.value }, caller_id: sources.caller },
          {
            ...options,
            goesOn: true,
            resumeInterrupted: (begun) => resumeInterrupted(sources, control, begun, options),
          },
        );
        if (result.error_code !== "INTERRUPTED" || round === rounds) return result;
      }
    },
  };
}

async function resumeInterrupted(
  { log, flow }: ControlSources,
  control: SessionControl,
  { session_id, work_order_id }: InterruptedOrder,
  options: Omit<ResumeOptions, "by">,
): Promise<Result<FlowResult>> {
  const events = await readEvents(log, session_id);
  const isEmpty = events.ok ? events.value.length === 0 : events.error.code === "NOT_FOUND";
  if (isEmpty) {
    // Claimed, and the process died before the first word: nothing was done, so the order is free again.
    const forgotten = await flow.orders.forget(work_order_id);
    return forgotten.ok ? err(neverBegan(work_order_id)) : forgotten;
  }
  if (!events.ok) return events;
  if (events.value.some(({ type }) => type === "session.close"))
    return resultOfClosed(flow, { session_id, events: events.value });
  if (!events.value.some(({ type }) => type === "wo.started")) return conclude(control, { session_id, work_order_id });
  const resumed = await control.resumeSession(session_id, options);
  return resumed.ok ? ok(resumed.value) : resumed;
}

/** The order was refused or stopped before it began: closes its session with that, so no caller learns that it goes on. */
async function conclude(
  control: SessionControl,
  { session_id, work_order_id }: InterruptedOrder,
): Promise<Result<FlowResult>> {
  const closed = await control.resumeSession(session_id);
  return closed.ok && closed.value.error_code === "INTERRUPTED" ? err(neverBegan(work_order_id)) : closed;
}

function neverBegan(work_order_id: string) {
  return domainError("INTERRUPTED", `${work_order_id} was claimed by a process that died before it began`);
}
