import type { Result } from "#core/values";
import type { ClaimWork, Command } from "./commands.ts";
import type { Lease } from "./records.ts";

/** The standing claim of an idle worker: it gets work in the commit that requests it, instead of in a claim after a notification. */
export interface ClaimOffer {
  /** Ends the offer and returns its result, after the commit that contains its claim, if there is one. */
  withdraw(): Promise<Result<readonly Lease[]> | undefined>;
}

export interface IdleWorker {
  readonly capabilities: readonly string[];
  /** Called when the batch that contains the claim is built. */
  readonly claim: () => ClaimWork;
  /** Called when the claim got leases or the store failed. */
  readonly taken: () => void;
}

interface PendingClaim {
  readonly capabilities: ReadonlySet<string>;
  readonly worker: IdleWorker;
  inBatch: boolean;
  result: Result<readonly Lease[]> | undefined;
  settled: (() => void) | undefined;
}

/** A claim that is added to a batch of other commands. */
export interface BatchedClaim {
  readonly command: ClaimWork;
  readonly answer: (result: Result<readonly Lease[]>) => void;
}

export class PendingClaims {
  readonly #pending = new Set<PendingClaim>();

  add(worker: IdleWorker): ClaimOffer {
    const pending: PendingClaim = {
      capabilities: new Set(worker.capabilities),
      worker,
      inBatch: false,
      result: undefined,
      settled: undefined,
    };
    this.#pending.add(pending);
    return {
      withdraw: async () => {
        this.#pending.delete(pending);
        if (pending.inBatch)
          await new Promise<void>((resolve) => {
            pending.settled = resolve;
          });
        return pending.result;
      },
    };
  }

  /** The claims to add to these commands: those for whose capabilities the commands request work. */
  claimsFor(commands: Iterable<Command>): readonly BatchedClaim[] {
    if (this.#pending.size === 0) return [];
    const asked = new Set<string>();
    for (const command of commands) for (const capability of requested(command)) asked.add(capability);
    if (asked.size === 0) return [];
    const claims: BatchedClaim[] = [];
    for (const pending of this.#pending) {
      if (pending.inBatch || ![...pending.capabilities].some((capability) => asked.has(capability))) continue;
      pending.inBatch = true;
      claims.push({ command: pending.worker.claim(), answer: (result) => this.#settle(pending, result) });
    }
    return claims;
  }

  #settle(pending: PendingClaim, result: Result<readonly Lease[]>): void {
    pending.inBatch = false;
    if (!result.ok || result.value.length > 0) {
      pending.result = result;
      this.#pending.delete(pending);
      pending.worker.taken();
    }
    pending.settled?.();
  }
}

/** The capabilities of the work that a command requests. */
function requested(command: Command): readonly string[] {
  if (command.kind === "request_work") return command.work.map(({ capability }) => capability);
  if (command.kind === "apply_turn")
    return command.actions.flatMap((action) => (action.type === "request_work" ? [action.capability] : []));
  return [];
}
