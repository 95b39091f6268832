import { type DomainError, domainError } from "#core/errors";
import { covers } from "#people";
import type { StandingHalt } from "./store/halt-store.ts";

/** Who orders or lifts a halt, with all that they may do: that is their rank. */
export interface HaltCaller {
  readonly id: string;
  readonly grants: readonly string[];
}

type Ordered = Pick<StandingHalt, "by" | "grants">;

/** Whether the caller may do whatever they may do who ordered the halt. A rank that is unknown counts as the highest. */
export function mayLift({ id, grants }: HaltCaller, { by, grants: theirs }: Ordered): boolean {
  return id === by || reaches(grants, theirs ?? ["*"]);
}

/** Whether a further order of the same halt is of a higher rank than the one that stands. */
export function isRaised({ grants: standing }: Ordered, grants: readonly string[] | null): boolean {
  return standing !== null && !reaches(standing, grants ?? ["*"]) && reaches(grants ?? ["*"], standing);
}

function reaches(grants: readonly string[], others: readonly string[]): boolean {
  return others.every((right) => covers(grants, right));
}

export function outranked({ id }: HaltCaller, halt: StandingHalt): DomainError {
  const what = halt.session_id === null ? "the halt of everything" : `the halt of ${halt.session_id}`;
  return domainError("NOT_AUTHORIZED", `${id} may not lift ${what}: ${halt.by} set it, who may do more here`, {
    details: {
      caller: id,
      by: halt.by,
      hint: `ask ${halt.by}, or somebody whose roles grant as much`,
    },
  });
}
