import { join } from "node:path";
import { readLimits } from "#core/machine";
import { type DoctorCheck, doctorCheck } from "#core/shapes";

const dayMs = 24 * 60 * 60 * 1_000;

/** Which limits of writ.yaml held something back in the last day: a server that is slow by its own settings looks like a slow machine. */
export const checkLimits: DoctorCheck = doctorCheck<readonly string[]>({
  id: "limits",
  title: "Limits",
  async run({ root, clock }) {
    if (root === undefined) return { health: "works", found: "no workspace, so none is reached" };
    const recent = Object.entries(readLimits(join(root, "planes", "hot"))).filter(
      ([, { last_at }]) => clock.now() - Date.parse(last_at) < dayMs,
    );
    if (recent.length === 0) return { health: "works", found: "none was reached in the last day" };
    return {
      health: "limited",
      found: recent.map(([limit, { count, last_at }]) => `${limit}: ${count} times, the last at ${last_at}`).join("; "),
      why: "calls and requests waited, or were refused for a while",
      cause: recent.map(([limit]) => limit),
    };
  },
  remedy: (limits) => `if this machine and its providers can carry more: raise ${limits.join(", ")} in writ.yaml`,
});
