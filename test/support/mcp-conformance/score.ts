import type { Check } from "./judge.ts";
import { leftOut } from "./left-out.ts";

export interface Score {
  readonly scenarios: number;
  readonly passed: number;
  /** `scenario: status check message`, without what is left out. */
  readonly failed: readonly string[];
  /** Checks that are left out with their reasons. */
  readonly leftOut: readonly string[];
  /** Entries of the table of what is left out whose check passes. */
  readonly stale: readonly string[];
}

/** What the judge found; a scenario in which it checked nothing has failed. */
export function scoreOf(role: "server" | "client", judged: ReadonlyMap<string, readonly Check[]>): Score {
  const table = leftOut[role];
  const failed: string[] = [];
  const left: string[] = [];
  const used = new Set<string>();
  let passed = 0;
  for (const [scenario, checks] of [...judged].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (checks.length === 0) failed.push(`${scenario}: nothing was checked`);
    for (const { id, status, errorMessage = "" } of checks) {
      if (status === "INFO") continue;
      const reason = table[`${scenario}: ${id}`];
      if (status === "SUCCESS") passed += 1;
      else if (reason === undefined) failed.push(`${scenario}: ${status} ${id} ${errorMessage}`);
      else {
        used.add(`${scenario}: ${id}`);
        left.push(`${scenario}: ${id}: ${reason}`);
      }
    }
  }
  const stale = Object.keys(table).filter((entry) => !used.has(entry) && judged.has(entry.split(": ")[0] ?? ""));
  return { scenarios: judged.size, passed, failed, leftOut: left, stale };
}
