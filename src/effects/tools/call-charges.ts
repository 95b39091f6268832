import type { Charged, Decision } from "#governance/mandate";

/**
 * Calls that each tool permission of an order was charged with. A call of an order that was handed down is charged to the
 * orders above it too: what they permit is shared by all below them. A resumed order charges its recorded calls again.
 */
export class CallCharges implements Charged {
  readonly #counts = new Map<string, number>();
  readonly above: CallCharges | undefined;

  constructor(above?: CallCharges) {
    this.above = above;
  }

  readonly of = (permission: string): number => this.#counts.get(permission) ?? 0;

  /** Charges an admitted call here and above. */
  take(decision: Pick<Decision, "charge" | "above">): void {
    this.#add(decision, 1);
  }

  /** For a call that was charged and then did not start. */
  giveBack(decision: Pick<Decision, "charge" | "above">): void {
    this.#add(decision, -1);
  }

  #add({ charge, above }: Pick<Decision, "charge" | "above">, count: 1 | -1): void {
    if (charge !== undefined) this.#counts.set(charge, this.of(charge) + count);
    if (above && this.above) this.above.#add(above, count);
  }
}

/** The permissions that a call was charged to, from its own order upwards. */
export function chargesOf({ charge = "", above }: Pick<Decision, "charge" | "above">): readonly string[] {
  return [charge, ...(above ? chargesOf(above) : [])];
}
