import { type Clock, type DomainError, isSessionId, type Result, type SessionId, sleep } from "#base";
import type { Runtime } from "#compose";
import type { FlowResult, InterruptedOrder } from "#flow";
import { hasBegun } from "./has-begun.ts";
import type { OrderService } from "./order-service.ts";

/** Often enough that a server's death costs its orders seconds, seldom enough to cost nothing. */
const everyMs = 2_000;
const pageSize = 200;
const atOnce = 8;

/**
 * What was accepted is carried out, also when the server that accepted it is gone: orders without a result whose session
 * nobody writes are taken up, here or by whichever server looks first. A session belongs to one process at a time, so two
 * that look at once do not both go on with it. Every look goes through all of them: those that wait for a person, or were
 * never begun, may be many and stand first.
 */
export function resumeInterrupted(sources: {
  readonly runtime: Runtime;
  readonly orders: OrderService;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onProblem: (message: string) => void;
}): void {
  const { runtime, orders, clock, signal, onProblem } = sources;
  const left = new Set<string>(); // looked at: they are a worker's, or cannot be resumed

  const leave = (session_id: string, why: string): void => {
    left.add(session_id);
    onProblem(`${session_id} was interrupted and does not go on: ${why}`);
  };
  /** False when this server takes no more now. */
  const takeUp = async (begun: InterruptedOrder): Promise<boolean> => {
    const { session_id } = begun;
    const verdict = await judge(session_id, runtime);
    if (!verdict.ok) return true; // the next look
    if (verdict.value === "not ours") left.add(session_id);
    if (verdict.value !== "take up") return true;
    const submitted = orders.takeUp(begun);
    if (!submitted.ok) return false;
    const { accepted, result } = submitted.value;
    void result.then(
      ({ error_code, error }: FlowResult) =>
        error_code === "REPLAY_DIVERGED" ? leave(session_id, error ?? "its record tells another story") : undefined,
      () => undefined, // refused: `accepted` says why
    );
    const taken = await accepted;
    if (!taken.ok && !mayPass(taken.error)) leave(session_id, taken.error.message);
    return true;
  };
  const look = async (): Promise<void> => {
    for (let after: { readonly claimed_at: string; readonly work_order_id: string } | undefined; ; ) {
      const page = await runtime.store.unfinishedOrders(pageSize, after);
      if (!page.ok) return onProblem(`interrupted orders could not be looked for: ${page.error.message}`);
      const begun = page.value.flatMap(({ session_id, work_order_id }) =>
        session_id !== null && isSessionId(session_id) && !left.has(session_id) && !orders.isRunning(session_id)
          ? [{ session_id, work_order_id }]
          : [],
      );
      // Most of them are at work elsewhere: one question for all of those, before any is looked at more closely.
      const ids = begun.map(({ session_id }) => session_id);
      const elsewhere = ids.length > 0 ? await runtime.log.writtenElsewhere?.(ids) : undefined;
      if (elsewhere?.ok === false) return; // the next look
      const free = begun.filter(({ session_id }) => !elsewhere?.value.has(session_id));
      for (let index = 0; index < free.length && !signal.aborted; index += atOnce) {
        const goOn = await Promise.all(free.slice(index, index + atOnce).map(takeUp));
        if (goOn.includes(false)) return; // full: the next look
      }
      after = page.value.at(-1);
      if (page.value.length < pageSize || signal.aborted) return;
    }
  };
  void (async () => {
    do await look();
    while (await sleep(clock, everyMs, signal));
  })();
}

/** Another process has it, it is halted, or the database is away: the next look may find it otherwise. */
function mayPass({ code, retryable }: DomainError): boolean {
  return retryable || code === "HALTED";
}

type Verdict = "take up" | "waits" | "not ours" | "not begun";

/** A worker's order is taken up by whoever leases the work next; a question that is open waits for its answer. */
async function judge(session_id: SessionId, runtime: Runtime): Promise<Result<Verdict>> {
  const open = await runtime.inbox.list({ state: "open", session_id, limit: 1 });
  if (!open.ok) return open;
  if (open.value.length > 0) return { ok: true, value: "waits" };
  const started = await hasBegun(session_id, runtime);
  if (!started.ok) return started;
  // One that has not begun was never accepted: whoever claimed it is at it, or whoever submitted it submits it again.
  if (!started.value) return { ok: true, value: "not begun" };
  return { ok: true, value: started.value.payload.work_order["work_id"] === undefined ? "take up" : "not ours" };
}
