import { type DomainError, domainError, messageOf } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import type { CallQueue, Pending } from "./call-queue.ts";

/** Answers the calls of a program, many at a time, until it is done or the order ends. An error is one that ends the order. */
export async function serveQueue<Call extends object, Answer>(
  calls: CallQueue<Call, Answer>,
  signal: AbortSignal,
  answer: (call: Pending<Call, Answer>) => Promise<Result<Answer>>,
): Promise<Result<void>> {
  const running = new Set<Promise<void>>();
  let failure: DomainError | null = null;
  const settle = async (call: Pending<Call, Answer>) => {
    const answered = await answer(call).catch(broken);
    if (!answered.ok && endsTheOrder(answered.error)) {
      failure ??= answered.error;
      calls.end(answered.error);
    }
    call.settle(answered);
  };
  for (;;) {
    const call = await calls.next(signal);
    if (!call) break;
    const served = settle(call);
    running.add(served);
    void served.finally(() => running.delete(served));
  }
  await Promise.all(running);
  if (signal.aborted)
    calls.end(
      failure ??
        domainError("CANCELED", "the order of this model session has ended: it was stopped, or its time is over"),
    );
  return failure ? err(failure) : ok(undefined);
}

/** What no later call of the same order could mend. */
function endsTheOrder({ code }: DomainError): boolean {
  return code === "INTERNAL" || code === "BUDGET_EXHAUSTED" || code === "HALTED" || code === "LEDGER_UNAVAILABLE";
}

/** A broken invariant of Writ itself ends the order; the program gets it as the answer that it waits for. */
function broken(thrown: unknown): Result<never> {
  return err(domainError("INTERNAL", `the model call broke: ${messageOf(thrown)}`, { cause: thrown }));
}
