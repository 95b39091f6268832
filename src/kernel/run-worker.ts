import { type Clock, type DomainError, domainError, type JsonObject, messageOf, type Result, unreachable } from "#base";
import type { NewPatch } from "./commands.ts";
import { type HeldLease, keepLeases } from "./keep-leases.ts";
import type { Kernel } from "./kernel.ts";
import { orWhenAborted } from "./or-when-aborted.ts";
import type { Lease } from "./records.ts";
import { untilAnswered } from "./until-answered.ts";

/** What a worker says of an item in the end. To hand it back is to let the next one try, within the retry budget. */
export type WorkOutcome =
  | {
      readonly status: "completed";
      readonly patches?: readonly Omit<NewPatch, "patch_id">[];
      readonly result?: JsonObject;
    }
  | { readonly status: "failed"; readonly reason: string; readonly code?: string }
  | { readonly status: "blocked"; readonly reason: string }
  | { readonly status: "released"; readonly reason: string };

export interface WorkContext {
  /** Aborts when the lease is lost or the worker must end: whatever is done after that counts for nothing. */
  readonly signal: AbortSignal;
  submitPatch(patch: Omit<NewPatch, "patch_id">): Promise<Result<{ readonly patch_id: string }>>;
}

export type WorkHandler = (lease: Lease, context: WorkContext) => Promise<WorkOutcome>;

export interface WorkerOptions {
  readonly kernel: Kernel;
  readonly worker_id: string;
  readonly handlers: Readonly<Record<string, WorkHandler>>;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Items at once; 4 unless said. */
  readonly concurrency?: number;
  readonly leaseMs?: number;
  /** How long the worker sleeps at most before it looks by itself. */
  readonly pollMs?: number;
  /** How long running items may go on once the worker is asked to end. */
  readonly graceMs?: number;
  readonly onProblem?: (problem: DomainError) => void;
}

/** A result that the rules forbid, such as a patch outside its contract, is a failure of the item: nobody may wait for it. */
function refused({ code, message, retryable }: DomainError): WorkOutcome | undefined {
  const isOver = code === "LEASE_LOST" || code === "RUN_CLOSED";
  return retryable || isOver ? undefined : { status: "failed", reason: message, code };
}

/**
 * Takes leases, runs the handler for each item, hands back what it made. Returns when the signal aborts and every item
 * at hand is finished or handed back.
 */
export async function runWorker(options: WorkerOptions): Promise<void> {
  const { kernel, worker_id, handlers, signal, clock } = options;
  const concurrency = options.concurrency ?? 4;
  const leaseMs = options.leaseMs ?? 30_000;
  const pollMs = options.pollMs ?? 250;
  const capabilities = Object.keys(handlers).sort();
  const report = options.onProblem ?? (() => undefined);
  const keeper = keepLeases({ kernel, clock, leaseMs, report });
  const listener = kernel.wakeUp.listen(capabilities.map((capability) => `work:${capability}` as const));
  let active = 0;
  let freed: (() => void) | undefined;
  const running = new Set<Promise<void>>();

  const start = (lease: Lease): void => {
    active += 1;
    const work = perform(lease).finally(() => {
      running.delete(work);
      freed?.();
    });
    running.add(work);
  };

  /**
   * How many more items fit. What is done and only waits for its commit needs no hands: its place is free, so that the
   * next claim travels in the same transaction, and a drain pays one sync where it paid two. A store that does not
   * answer holds the worker back all the same.
   */
  const room = (): number => Math.min(concurrency - active, 2 * concurrency - running.size);

  const perform = async (lease: Lease): Promise<void> => {
    const held = keeper.hold(lease);
    try {
      const outcome = await attempt(lease, held);
      active -= 1;
      freed?.();
      // A lost lease is not worth a word: the kernel would refuse it, and another worker has the item.
      if (held.lost()) return;
      const until = { clock, until: () => held.expiresAt(), report };
      const said = await untilAnswered(() => say(lease, outcome), until);
      const refusal = said.ok ? undefined : refused(said.error);
      if (refusal) await untilAnswered(() => say(lease, refusal), until);
    } finally {
      held.release();
    }
  };

  const attempt = async (lease: Lease, held: HeldLease): Promise<WorkOutcome> => {
    const handler = handlers[lease.capability];
    if (!handler) return { status: "released", reason: `this worker does not know ${lease.capability}` };
    try {
      const answer = handler(lease, {
        get signal() {
          return held.signal();
        },
        submitPatch: (patch) =>
          kernel.submitPatch({ ...patch, run_id: lease.run_id, author_kind: "worker", author_id: worker_id, lease }),
      });
      // A handler that does not listen to the signal must not keep the worker from ending.
      return await held.orWhenOver(answer, { status: "released", reason: "the worker ends" });
    } catch (thrown) {
      // A handler that throws is a broken worker, not impossible work: the next one may try.
      report(
        domainError("INTERNAL", `the handler for ${lease.capability} threw: ${messageOf(thrown)}`, { cause: thrown }),
      );
      return { status: "released", reason: messageOf(thrown) };
    }
  };

  const say = (lease: Lease, outcome: WorkOutcome): Promise<Result<unknown>> => {
    switch (outcome.status) {
      case "completed":
        return kernel.completeWork(lease, outcome.patches ?? [], outcome.result);
      case "failed": {
        const code = outcome.code === undefined ? {} : { code: outcome.code };
        return kernel.submit<"fail_work">({ kind: "fail_work", lease, reason: outcome.reason, ...code });
      }
      case "blocked":
        return kernel.submit<"block_work">({ kind: "block_work", lease, reason: outcome.reason });
      case "released":
        return kernel.submit<"release_work">({ kind: "release_work", lease, reason: outcome.reason });
      default:
        return unreachable(outcome);
    }
  };

  while (!signal.aborted) {
    if (room() <= 0) {
      const slot = new Promise<void>((resolve) => {
        freed = resolve;
      });
      await orWhenAborted(slot, signal, undefined);
      continue;
    }
    let limit = 0;
    const claimed = await kernel.claimWork(() => {
      limit = room();
      return { capabilities, lease_owner: worker_id, lease_ms: leaseMs, limit };
    });
    if (!claimed.ok) report(claimed.error);
    else for (const lease of claimed.value) start(lease); // also when asked to end meanwhile: then it is handed back
    if (!claimed.ok || claimed.value.length < limit) await listener.wait(pollMs, signal);
  }

  listener.close();
  const grace = clock.after(options.graceMs ?? 10_000, keeper.stop);
  await Promise.all(running);
  grace();
}
