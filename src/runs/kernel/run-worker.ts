import { type DomainError, domainError, messageOf } from "#core/errors";
import { type Clock, type JsonObject, ok, type Result, unreachable } from "#core/values";
import type { NewPatch, Tier } from "./commands.ts";
import type { ClaimInput, Kernel } from "./kernel.ts";
import { raceAbort } from "./race-abort.ts";
import type { Lease } from "./records.ts";
import { type KeptLease, renewLeases } from "./renew-leases.ts";
import { retryUntil } from "./retry-until.ts";

/** How a worker ends an item. A released item may be leased by another worker, within the retry budget. */
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
  /** Aborts when the lease is lost or the worker must end: a result after that is discarded. */
  readonly signal: AbortSignal;
  submitPatch(patch: Omit<NewPatch, "patch_id">): Promise<Result<{ readonly patch_id: string }>>;
}

export type WorkHandler = (lease: Lease, context: WorkContext) => Promise<WorkOutcome>;

export interface WorkerOptions {
  readonly kernel: Kernel;
  readonly worker_id: string;
  readonly handlers: Readonly<Record<string, WorkHandler>>;
  /** The isolation that the handlers run in; absent where they are this process's own code. */
  readonly tier?: Tier;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Items at once; 4 unless said. */
  readonly concurrency?: number;
  readonly leaseMs?: number;
  /** Between two heartbeats; at most a third of the lease. */
  readonly heartbeatMs?: number;
  /** The longest sleep before the worker polls the queue. */
  readonly pollMs?: number;
  /** How long running items may continue after the signal aborts. */
  readonly graceMs?: number;
  readonly onProblem?: (problem: DomainError) => void;
}

/** A result that the rules forbid, such as a patch outside its contract, fails the item, so that the run does not wait for it. */
function refused({ code, message, retryable }: DomainError): WorkOutcome | undefined {
  const isOver = code === "LEASE_LOST" || code === "RUN_CLOSED";
  return retryable || isOver ? undefined : { status: "failed", reason: message, code };
}

const statuses: ReadonlySet<unknown> = new Set(["completed", "failed", "blocked", "released"]);

/** Handlers are foreign code: their return value need not match their type. */
function isOutcome(answer: WorkOutcome | null | undefined): answer is WorkOutcome {
  return typeof answer === "object" && answer !== null && statuses.has(answer.status);
}

/** A claim that is running, and how many items it asks for. */
interface Asked {
  limit: number;
  readonly claim: () => ClaimInput;
}

const handedBack: WorkOutcome = { status: "released", reason: "the worker ends" };

/** What a handler gets beside the lease. A class, because a drain makes one for every item. */
class ContextOfLease implements WorkContext {
  readonly #kernel: Kernel;
  readonly #lease: Lease;
  readonly #held: KeptLease;

  constructor(kernel: Kernel, lease: Lease, held: KeptLease) {
    this.#kernel = kernel;
    this.#lease = lease;
    this.#held = held;
  }

  get signal(): AbortSignal {
    return this.#held.signal();
  }

  /** Created on first use: most handlers submit no patch. A getter, because handlers destructure the context. */
  get submitPatch(): WorkContext["submitPatch"] {
    const kernel = this.#kernel;
    const lease = this.#lease;
    return (patch) =>
      kernel.submitPatch({
        ...patch,
        run_id: lease.run_id,
        author_kind: "worker",
        author_id: lease.lease_owner,
        lease,
      });
  }
}

/**
 * Leases items, runs the handler for each, and submits its outcome. Returns when the signal has aborted and every leased
 * item is finished or released.
 */
export async function runWorker(options: WorkerOptions): Promise<void> {
  const { kernel, worker_id, handlers, signal, clock } = options;
  const concurrency = options.concurrency ?? 4;
  const leaseMs = options.leaseMs ?? 30_000;
  const pollMs = options.pollMs ?? 250;
  const capabilities = Object.keys(handlers).sort();
  const report = options.onProblem ?? (() => undefined);
  const keeper = renewLeases({ kernel, clock, leaseMs, heartbeatMs: options.heartbeatMs, report });
  const listener = kernel.wakeUp.listen(capabilities.map((capability) => `work:${capability}` as const));
  /** `active`: items that a handler is working on. `open`: those, and the finished ones that wait for their commit. */
  let active = 0;
  let open = 0;
  /** `promised`: items that running claims ask for. `claims`: how many claims run. */
  let promised = 0;
  let claims = 0;
  /** The most items of one claim, so that the concurrent claims share the capacity. */
  const largest = Math.ceil(concurrency / kernel.claimsAtOnce);
  /** `waiting`: called when a slot is free. `finished`: called when the last item is over. */
  let waiting: (() => void)[] = [];
  let finished: (() => void) | undefined;

  const freed = (): void => {
    const called = waiting;
    if (called.length === 0) return;
    waiting = [];
    for (const call of called) call();
  };

  /**
   * How many more items the worker may claim. An item that only waits for its commit occupies no slot, so that the next claim
   * is in the same transaction and a drain pays one sync instead of two. The last term limits the unanswered commits while
   * the store does not respond.
   */
  const room = (): number => Math.min(largest, concurrency - active - promised, 2 * concurrency - open - promised);

  const perform = async (lease: Lease): Promise<void> => {
    active += 1;
    open += 1;
    const held = keeper.hold(lease);
    try {
      const outcome = await attempt(lease, held);
      active -= 1;
      freed();
      // The lease is lost: the kernel would refuse the outcome, and another worker may have the item.
      if (held.lost()) return;
      const answer = await say(lease, outcome);
      if (!answer.ok) await sayAgain(lease, outcome, { held, problem: answer.error });
    } finally {
      held.release();
      open -= 1;
      freed();
      if (open === 0) finished?.();
    }
  };

  const sayAgain = async (
    lease: Lease,
    outcome: WorkOutcome,
    { held, problem }: { readonly held: KeptLease; readonly problem: DomainError },
  ): Promise<void> => {
    const until = { clock, until: () => held.expiresAt(), report };
    const said = await retryUntil(() => say(lease, outcome), { ...until, problem });
    const refusal = said.ok ? undefined : refused(said.error);
    if (refusal) await retryUntil(() => say(lease, refusal), until);
  };

  const attempt = async (lease: Lease, held: KeptLease): Promise<WorkOutcome> => {
    if (signal.aborted) return handedBack; // the signal aborted while the claim was running
    const handler = handlers[lease.capability];
    if (!handler) return { status: "released", reason: `this worker does not know ${lease.capability}` };
    try {
      const answer = handler(lease, new ContextOfLease(kernel, lease, held));
      // A handler that ignores the signal must not keep the worker from ending.
      const outcome = await held.raceEnd(answer, handedBack);
      if (!isOutcome(outcome)) throw new Error(`it answered no outcome, but ${JSON.stringify(outcome)}`);
      return outcome;
    } catch (thrown) {
      // A handler that throws is a broken worker, not impossible work: another worker may try.
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

  /** A claim for as many items as fit when its batch is built. Their slots stay reserved until the claim is answered. */
  const ask = (): Asked => {
    const asked: Asked = {
      limit: 0,
      claim() {
        promised -= asked.limit; // the claim may be in several batches before it gets an item
        asked.limit = Math.max(0, room());
        promised += asked.limit;
        return { capabilities, lease_owner: worker_id, lease_ms: leaseMs, limit: asked.limit, tier: options.tier };
      },
    };
    return asked;
  };

  /** Also called after the signal aborted: perform() then releases the leases. */
  const take = (asked: Asked, claimed: Result<readonly Lease[]>): void => {
    promised -= asked.limit;
    if (!claimed.ok) report(claimed.error);
    else for (const lease of claimed.value) void perform(lease);
    // Another claim may wait for the slots that were reserved for this one; without a leased item, nothing else resumes it.
    if (room() > 0) freed();
  };

  /** Sleeps until a notification, or until a commit that requests work leases it to this worker: that saves a commit and its latency. */
  const sleepWithOffer = async (): Promise<void> => {
    const asked = ask();
    const offer = kernel.offerClaim(capabilities, asked.claim, listener.ring);
    await listener.wait(pollMs, signal);
    take(asked, (await offer.withdraw()) ?? ok([]));
  };

  /** Claims until no item is ready. Then `once` returns; the main loop sleeps and claims again. */
  const claim = async (once: boolean): Promise<void> => {
    claims += 1;
    while (!signal.aborted) {
      if (room() <= 0) {
        const slot = new Promise<void>((resolve) => waiting.push(resolve));
        await raceAbort(slot, signal, undefined);
        continue;
      }
      const asked = ask();
      const claimed = await kernel.claimWork(asked.claim);
      take(asked, claimed);
      if (claimed.ok && claimed.value.length === asked.limit) {
        // The claim was filled, so there may be more: start another one while these items are worked on.
        if (claims < kernel.claimsAtOnce) void claim(true);
      } else if (once) break;
      else await sleepWithOffer();
    }
    claims -= 1;
    if (claims === 0) unclaimed?.();
  };
  let unclaimed: (() => void) | undefined;
  await claim(false);
  if (claims > 0)
    await new Promise<void>((resolve) => {
      unclaimed = resolve;
    });

  listener.close();
  const grace = clock.after(options.graceMs ?? 10_000, keeper.stop);
  if (open > 0)
    await new Promise<void>((resolve) => {
      finished = resolve;
    });
  grace();
}
