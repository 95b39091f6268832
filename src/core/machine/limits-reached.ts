import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Clock, isoTime } from "../values/clock.ts";
import { isJsonObject } from "../values/json.ts";
import { parseJson } from "../values/strict-json.ts";

/** How often a limit was reached, by its key in writ.yaml. */
export type ReachedLimits = Readonly<Record<string, { readonly count: number; readonly last_at: string }>>;

/** Counts the limits that hold a process back, for its metrics and, in a file, for `writ doctor`. */
export interface LimitsReached {
  reached(limit: string): void;
  counts(): ReadonlyMap<string, number>;
}

const fileName = "limits-reached.json";
const betweenMs = 10_000;

/** In this folder of the workspace; written at once, then every ten seconds while a limit is reached. */
export function countLimits(folder: string, clock: Clock): LimitsReached {
  const counts = new Map<string, number>();
  const unwritten = new Map<string, number>();
  let writtenAt = Number.NEGATIVE_INFINITY;

  const write = (): void => {
    const last_at = isoTime(clock.now());
    const kept: Record<string, { count: number; last_at: string }> = { ...readLimits(folder) };
    for (const [limit, count] of unwritten) kept[limit] = { count: (kept[limit]?.count ?? 0) + count, last_at };
    unwritten.clear();
    try {
      const draft = join(folder, `${fileName}.${process.pid}`);
      writeFileSync(draft, `${JSON.stringify(kept, null, 2)}\n`, { flag: "wx" }); // follows no link
      renameSync(draft, join(folder, fileName));
    } catch (thrown) {
      void thrown; // a count for people is no reason to fail: the metrics have it
    }
  };

  return {
    reached(limit) {
      counts.set(limit, (counts.get(limit) ?? 0) + 1);
      unwritten.set(limit, (unwritten.get(limit) ?? 0) + 1);
      if (clock.monotonic() - writtenAt < betweenMs) return;
      writtenAt = clock.monotonic();
      write();
    },
    counts: () => counts,
  };
}

/** What processes of this workspace have counted; a file that cannot be read says nothing. */
export function readLimits(folder: string): ReachedLimits {
  try {
    const parsed = parseJson(readFileSync(join(folder, fileName), "utf8"));
    return parsed.ok && isJsonObject(parsed.value) ? (parsed.value as unknown as ReachedLimits) : {};
  } catch (thrown) {
    void thrown; // none was reached yet
    return {};
  }
}
