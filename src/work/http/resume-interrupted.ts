import { type DomainError } from "#core/errors";
import { type Clock, isSessionId, type Result, type SessionId, sleep } from "#core/values";
import type { EventLog } from "#log";
import type { Inbox } from "#people";
import type { FlowResult } from "../flow/execution-context.ts";
import type { InterruptedOrder } from "../flow/order-book.ts";
import type { OrderStore } from "../orders/store/order-store.ts";
import { hasBegun } from "./has-begun.ts";
import type { OrderService } from "./order-service.ts";

/** A server's death costs its orders this much; a pass costs next to nothing. */
const everyMs = 2_000;
const pageSize = 200;
const atOnce = 8;

export interface ResumeInterruptedOptions {
  readonly orders: Pick<OrderService, "isRunning" | "resumeInterrupted">;
  readonly store: Pick<OrderStore, "unfinishedOrders">;
  readonly log: Pick<EventLog, "read" | "writtenElsewhere">;
  readonly inbox: Pick<Inbox, "list">;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onProblem: (message: string) => void;
}

/**
 * Resumes orders that a server accepted which is gone: those without a result whose session no process writes. Every
 * server looks; a session has one writer, so two that look at once do not both resume it. Each pass reads all pages,
 * because orders that wait for a person or never began may be many and come first.
 */
export function resumeInterrupted(options: ResumeInterruptedOptions): void {
  const { store, log, orders, clock, signal, onProblem } = options;
  const left = new Set<string>(); // a worker's, or not resumable

  const leave = (session_id: string, why: string): void => {
    left.add(session_id);
    onProblem(`${session_id} was interrupted and does not go on: ${why}`);
  };
  /** False when this server takes no more now. */
  const resumeInterrupted = async (begun: InterruptedOrder): Promise<boolean> => {
    const { session_id } = begun;
    const verdict = await judge(session_id, options);
    if (!verdict.ok) return true; // the next pass
    if (verdict.value === "not ours") left.add(session_id);
    if (verdict.value !== "take up") return true;
    const submitted = orders.resumeInterrupted(begun);
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
  const pass = async (): Promise<void> => {
    for (let after: { readonly claimed_at: string; readonly work_order_id: string } | undefined; ; ) {
      const page = await store.unfinishedOrders(pageSize, after);
      if (!page.ok) return onProblem(`interrupted orders could not be looked for: ${page.error.message}`);
      const begun = page.value.flatMap(({ session_id, work_order_id }) =>
        session_id !== null && isSessionId(session_id) && !left.has(session_id) && !orders.isRunning(session_id)
          ? [{ session_id, work_order_id }]
          : [],
      );
      // Most run in other processes: one query excludes those before any session is read.
      const ids = begun.map(({ session_id }) => session_id);
      const elsewhere = ids.length > 0 ? await log.writtenElsewhere?.(ids) : undefined;
      if (elsewhere?.ok === false) return; // the next pass
      const free = begun.filter(({ session_id }) => !elsewhere?.value.has(session_id));
      for (let index = 0; index < free.length && !signal.aborted; index += atOnce) {
        const goOn = await Promise.all(free.slice(index, index + atOnce).map(resumeInterrupted));
        if (goOn.includes(false)) return; // at the limit: the next pass
      }
      after = page.value.at(-1);
      if (page.value.length < pageSize || signal.aborted) return;
    }
  };
  void (async () => {
    do await pass();
    while (await sleep(clock, everyMs, signal));
  })();
}

/** Another process has it, it is halted, or the database is away: a later pass may succeed. */
function mayPass({ code, retryable }: DomainError): boolean {
  return retryable || code === "HALTED";
}

type Verdict = "take up" | "waits" | "not ours" | "not begun";

/** An order of a worker is resumed by the worker that leases the work next; an open question waits for its answer. */
async function judge(
  session_id: SessionId,
  { inbox, log }: Pick<ResumeInterruptedOptions, "inbox" | "log">,
): Promise<Result<Verdict>> {
  const open = await inbox.list({ state: "open", session_id, limit: 1 });
  if (!open.ok) return open;
  if (open.value.length > 0) return { ok: true, value: "waits" };
  const started = await hasBegun(session_id, log);
  if (!started.ok) return started;
  // An order that has not begun was never accepted: its process is still at it, or its caller submits it again.
  if (!started.value) return { ok: true, value: "not begun" };
  return { ok: true, value: started.value.payload.work_order["work_id"] === undefined ? "take up" : "not ours" };
}
