import { type Clock, isSessionId, type Result, type SessionId, sleep } from "#base";
import type { Runtime } from "#compose";
import type { Event } from "#events";
import type { OrderDesk } from "./order-desk.ts";

/** Often enough that a server's death costs its orders seconds, seldom enough to cost nothing. */
const everyMs = 2_000;
const atOnce = 200;

/**
 * What was accepted is carried out, also when the server that accepted it is gone: orders without a result whose session
 * nobody writes are taken up, here or by whichever server looks first. A session belongs to one process at a time, so two
 * that look at once do not both go on with it.
 */
export function takeUpInterrupted(sources: {
  readonly runtime: Runtime;
  readonly orders: OrderDesk;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onProblem: (message: string) => void;
}): void {
  const { runtime, orders, clock, signal, onProblem } = sources;
  const left = new Set<string>(); // looked at: they are a worker's, or cannot be resumed
  const look = async (): Promise<void> => {
    const unfinished = await runtime.store.unfinishedOrders(atOnce);
    if (!unfinished.ok) return onProblem(`interrupted orders could not be looked for: ${unfinished.error.message}`);
    for (const { session_id, work_order_id } of unfinished.value) {
      if (session_id === null || !isSessionId(session_id) || left.has(session_id) || signal.aborted) continue;
      if (orders.isRunning(session_id)) continue;
      const verdict = await judge(session_id, runtime);
      if (!verdict.ok || verdict.value === "busy") continue;
      if (verdict.value === "not ours") left.add(session_id);
      if (verdict.value !== "take up") continue;
      const submitted = orders.takeUp({ session_id, work_order_id });
      if (!submitted.ok) return; // full: the next look
      const accepted = await submitted.value.accepted;
      if (!accepted.ok && accepted.error.code !== "SESSION_BUSY") {
        left.add(session_id);
        if (accepted.error.code === "HALTED") continue; // whoever lifts the halt says when it goes on
        onProblem(`${session_id} was interrupted and does not go on: ${accepted.error.message}`);
      }
    }
  };
  void (async () => {
    do await look();
    while (await sleep(clock, everyMs, signal));
  })();
}

type Verdict = "take up" | "waits" | "not ours" | "busy";

/** A worker's order is taken up by whoever leases the work next; a question that is open waits for its answer. */
async function judge(session_id: SessionId, runtime: Runtime): Promise<Result<Verdict>> {
  const open = await runtime.inbox.list({ state: "open", session_id, limit: 1 });
  if (!open.ok) return open;
  if (open.value.length > 0) return { ok: true, value: "waits" };
  let seen = 0;
  for await (const event of runtime.log.read(session_id)) {
    if (!event.ok) return event.error.code === "NOT_FOUND" ? { ok: true, value: "busy" } : event;
    if (event.value.type === "wo.started") {
      const { work_order } = (event.value as Event<"wo.started">).payload;
      return { ok: true, value: work_order["work_id"] === undefined ? "take up" : "not ours" };
    }
    seen += 1;
    if (seen > 64) break;
  }
  return { ok: true, value: "busy" }; // it has not begun: whoever claimed it is at it, or it never was accepted
}
