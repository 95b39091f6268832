import { ok, type Result, Semaphore } from "#core/values";
import { placeOf, timeLimitOf } from "#governance/mandate";
import { haltedError } from "../halts/halts.ts";
import { validateWorkOrder } from "../steps/1-validate-work-order.ts";
import { resolveFramework } from "../steps/2-resolve-framework.ts";
import { orderToWeigh } from "./authorize-flow.ts";
import { claimOfOrder } from "./claim-of-order.ts";
import { startDeadline } from "./deadline.ts";
import type { FlowResult } from "./execution-context.ts";
import type { FlowDependencies, FlowOptions, FlowRequest } from "./flow.ts";
import { runInSession, tooLate } from "./flow-session.ts";
import { isStopped } from "./is-stopped.ts";
import { interruptedOrder } from "./order-book.ts";
import { rejectUnopened } from "./reject-unopened.ts";

/** Runs a work order to its FlowResult. Never throws and never hangs. */
export interface FlowRunner {
  run(request: FlowRequest, options?: FlowOptions): Promise<FlowResult>;
}

export function createFlowRunner(deps: FlowDependencies): FlowRunner {
  const gate = new Semaphore(deps.config.max_concurrent_flows);
  const run: FlowRunner["run"] = async (request, options = {}) => {
    const started = deps.clock.monotonic();
    const halted = await deps.halts.standing(null);
    if (!halted.ok) return rejectUnopened(deps, request, halted.error, started);
    if (halted.value) return rejectUnopened(deps, request, haltedError(halted.value), started);
    if (!options.parent && !options.goesOn && !options.modelCalls && !options.hookOf) {
      const room = deps.hasRoom();
      if (!room.ok) return rejectUnopened(deps, request, room.error, started);
    }
    const wellFormed = deps.schemas.validate("flow_request_v1", request);
    if (!wellFormed.ok) return rejectUnopened(deps, request, wellFormed.error, started);
    const checked = validateWorkOrder(deps, request);
    if (!checked.ok) return rejectUnopened(deps, request, checked.error, started);
    const order = checked.value;
    const caller = options.parent ? ok(undefined) : deps.authenticate(request, options.caller);
    if (!caller.ok) return rejectUnopened(deps, request, caller.error, started);
    // An unknown profile or an unreadable script is refused before a session is opened or a budget reserved.
    const reachable = await deps.routerFor(order.profile, request.dev_mode === true);
    if (!reachable.ok) return rejectUnopened(deps, request, reachable.error, started);
    // The framework may give less; it is known in the session, which narrows the deadline.
    const own = timeLimitOf(order);
    // A foreign program is at work for as long as its order says, and most of that time it asks for nothing.
    const longest = options.foreign && own ? own.value : deps.config.execution_timeout_seconds;
    const deadline = startDeadline(deps.clock, longest, options.signal);
    if (own) deadline.narrow(own.value, placeOf(own));
    // Whom another flow waits for runs in its slot. Waiting for a slot of its own, while that one waits, would deadlock. A foreign
    // program would hold one while a person thinks.
    const isAwaited = options.parent !== undefined || options.hookOf !== undefined;
    const hasOwnSlot = !isAwaited && options.foreign === undefined;
    if (hasOwnSlot && gate.isFull) deps.limitReached("max_concurrent_flows");
    const entered = hasOwnSlot ? await gate.enter(deadline.signal) : undefined;
    try {
      if (entered?.ok === false)
        return await rejectUnopened(deps, request, deadline.timedOut ? tooLate(deadline) : entered.error, started);
      return await runOnce(deps, { request, caller: caller.value, order, options, deadline, started, run });
    } finally {
      if (entered?.ok) gate.leave();
      deadline.clear();
    }
  };
  return { run };
}

/** Claims the order, so that it acts once. A fresh order needs no claim: its number is new. */
async function runOnce(
  deps: FlowDependencies,
  flow: Omit<Parameters<typeof runInSession>[1], "session">,
): Promise<FlowResult> {
  const { request, order, options, started } = flow;
  const { session_id } = options;
  const session = await deps.log.create({ tier: order.plane_id, ...(session_id ? { session_id } : {}) });
  if (!session.ok) return rejectUnopened(deps, request, session.error, started);
  if (options.fresh) return runInSession(deps, { ...flow, session: session.value });

  const claimed = await deps.orders.claim({
    ...claimOfOrder(deps, order, flow.caller),
    session_id: session.value.session_id,
  });
  if (!claimed.ok || claimed.value !== "new") {
    await session.value.release(); // nothing was recorded in it, so it leaves no trace
    const allowed = await mayHaveResult(deps, flow);
    if (!allowed.ok) return rejectUnopened(deps, request, allowed.error, started);
    if (claimed.ok) return claimed.value as FlowResult;
    const begun = options.resumeInterrupted && interruptedOrder(claimed.error);
    const taken = begun ? await options.resumeInterrupted(begun) : claimed;
    return taken.ok ? taken.value : rejectUnopened(deps, request, taken.error, started);
  }
  const result = await runInSession(deps, { ...flow, session: session.value });
  if (isStopped(result)) {
    deps.orders.stopped(order.work_order_id, result);
    return result;
  }
  const kept = await deps.orders.finish(order.work_order_id, result);
  return kept.ok ? result : { ...result, status: "failure", error: kept.error.message, error_code: kept.error.code };
}

/** A remote caller may read or resume an order only if that caller could have submitted it. */
async function mayHaveResult(
  deps: FlowDependencies,
  { caller, order }: Pick<Parameters<typeof runInSession>[1], "caller" | "order">,
): Promise<Result<unknown>> {
  if (caller?.authenticatedBy !== "api_key") return ok(undefined);
  const agent = await resolveFramework(deps, order);
  return agent.ok ? deps.authorize(caller, orderToWeigh(deps, order, agent.value, order)) : agent;
}
