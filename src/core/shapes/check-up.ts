import { messageOf } from "../errors/domain-error.ts";
import type { Programs } from "../machine/programs.ts";
import { type Clock } from "../values/clock.ts";
import { type Files } from "../values/files.ts";
import { type Processes } from "../values/processes.ts";

/** What a check may read. */
export interface DoctorSurroundings {
  /** The workspace, when there is one. */
  readonly root: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly files: Files;
  readonly processes: Processes;
  /** Starts programs of the workspace; absent where there is none that can be read. */
  readonly programs?: Programs | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * works: nothing to do. limited: Writ runs, and something that some commands need is missing. broken: Writ does not run
 * here until it is repaired.
 */
export type Health = "works" | "limited" | "broken";

export interface Finding {
  readonly health: Health;
  /** What was found, in words. */
  readonly found: string;
  /** What does not work because of it. */
  readonly why?: string;
  /** The command or step that repairs it. */
  readonly mend?: string;
}

/** The outcome of a check: all is well, or a problem with the cause that its remedy needs. */
export type Observation<Cause> =
  | { readonly health: "works"; readonly found: string }
  | {
      readonly health: Exclude<Health, "works">;
      readonly found: string;
      /** What does not work because of it; null where `found` says it. */
      readonly why: string | null;
      readonly cause: Cause;
    };

/** Everything that a check must state. No member is optional. */
interface DoctorCheckSpec<Cause> {
  readonly id: string;
  readonly title: string;
  readonly run: (surroundings: DoctorSurroundings) => Promise<Observation<Cause>>;
  /** The command or step that repairs it; null: there is none. */
  readonly remedy: (cause: Cause) => string | null;
}

/** One part of the check-up, in the list of `checks.ts`. */
export interface DoctorCheck extends Omit<DoctorCheckSpec<never>, "run"> {
  readonly run: (surroundings: DoctorSurroundings) => Promise<Finding>;
}

export function doctorCheck<Cause>({ id, title, run, remedy }: DoctorCheckSpec<Cause>): DoctorCheck {
  const find = async (surroundings: DoctorSurroundings): Promise<Finding> => {
    const seen = await run(surroundings);
    if (seen.health === "works") return seen;
    const { health, found, why } = seen;
    const mend = remedy(seen.cause);
    return { health, found, ...(why === null ? {} : { why }), ...(mend === null ? {} : { mend }) };
  };
  return { id, title, run: find, remedy };
}

export interface CheckedPart extends Finding {
  readonly id: string;
  readonly title: string;
}

/** Runs the checks one after the other; a check that throws is itself a finding. */
export async function checkUp(
  checks: readonly DoctorCheck[],
  surroundings: DoctorSurroundings,
): Promise<readonly CheckedPart[]> {
  const parts: CheckedPart[] = [];
  for (const check of checks) {
    if (surroundings.signal.aborted) break;
    parts.push({ id: check.id, title: check.title, ...(await attempt(check, surroundings)) });
  }
  return parts;
}

async function attempt(check: DoctorCheck, surroundings: DoctorSurroundings): Promise<Finding> {
  try {
    return await check.run(surroundings);
  } catch (thrown) {
    return { health: "broken", found: `the check itself failed: ${messageOf(thrown)}` };
  }
}
