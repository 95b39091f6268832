import type { Result } from "#core/values";
import type { ClaimWork, Command } from "./commands.ts";
import type { Lease } from "./records.ts";

/** The standing claim of an idle worker: it gets work in the commit that requests it, instead of in a claim after a notification. */
export interface Offer {
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

interface Standing {
  readonly capabilities: ReadonlySet<string>;
  readonly hands: IdleWorker;
  carried: boolean;
  result: Result<readonly Lease[]> | undefined;
  landed: (() => void) | undefined;
}

/** A claim that is added to a batch of other commands. */
export interface Ride {
  readonly command: ClaimWork;
  readonly answer: (result: Result<readonly Lease[]>) => void;
}

export class PendingClaims {
  readonly #standing = new Set<Standing>();

  add(hands: IdleWorker): Offer {
    const standing: Standing = {
      capabilities: new Set(hands.capabilities),
      hands,
      carried: false,
      result: undefined,
      landed: undefined,
    };
    this.#standing.add(standing);
    return {
      withdraw: async () => {
        this.#standing.delete(standing);
        if (standing.carried)
          await new Promise<void>((resolve) => {
            standing.landed = resolve;
          });
        return standing.result;
      },
    };
  }

  /** The claims to add to these commands: those for whose capabilities the commands request work. */
  ridesWith(commands: Iterable<Command>): readonly Ride[] {
    if (this.#standing.size === 0) return [];
    const asked = new Set<string>();
    for (const command of commands) for (const capability of requested(command)) asked.add(capability);
    if (asked.size === 0) return [];
    const rides: Ride[] = [];
    for (const standing of this.#standing) {
      if (standing.carried || ![...standing.capabilities].some((capability) => asked.has(capability))) continue;
      standing.carried = true;
      rides.push({ command: standing.hands.claim(), answer: (result) => this.#land(standing, result) });
    }
    return rides;
  }

  #land(standing: Standing, result: Result<readonly Lease[]>): void {
    standing.carried = false;
    if (!result.ok || result.value.length > 0) {
      standing.result = result;
      this.#standing.delete(standing);
      standing.hands.taken();
    }
    standing.landed?.();
  }
}

/** The capabilities of the work that a command requests. */
function requested(command: Command): readonly string[] {
  if (command.kind === "request_work") return command.work.map(({ capability }) => capability);
  if (command.kind === "apply_turn")
    return command.actions.flatMap((action) => (action.type === "request_work" ? [action.capability] : []));
  return [];
}
