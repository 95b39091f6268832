import { type Clock, type Files, messageOf, type Processes } from "#base";

/** What a check may look at. */
export interface DoctorSurroundings {
  /** The workspace, when there is one. */
  readonly root: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly files: Files;
  readonly processes: Processes;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * works: nothing to do. limited: Writ runs, and something that some commands need is missing. broken: Writ does not run
 * here until it is mended.
 */
export type Health = "works" | "limited" | "broken";

export interface Finding {
  readonly health: Health;
  /** What was found, in words. */
  readonly found: string;
  /** What does not work because of it. */
  readonly why?: string;
  /** The command or step that mends it. */
  readonly mend?: string;
}

/** One part of the check-up. Rooms add theirs to the list in `checks.ts`. */
export interface DoctorCheck {
  readonly id: string;
  readonly title: string;
  run(surroundings: DoctorSurroundings): Promise<Finding>;
}

export interface CheckedPart extends Finding {
  readonly id: string;
  readonly title: string;
}

/** Every part after the other; a check that throws is itself a finding. */
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
