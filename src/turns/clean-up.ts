import { lstatSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Clock, isSessionId } from "#base";
import { dropFromQuarantine, listQuarantine } from "./quarantine/quarantine.ts";

export interface CleanUpOptions {
  readonly root: string;
  readonly quarantine: string;
  readonly clock: Clock;
  readonly maxAgeMs: number;
  /** What the quarantine may hold; its oldest turns go first. */
  readonly maxBytes: number;
  /** Sessions that are still at work. */
  readonly isOpen: (sessionId: string) => boolean;
}

export interface CleanedUp {
  readonly scratch: readonly string[];
  readonly quarantined: readonly string[];
}

/** Removes scratch of sessions that are over, by age, and old quarantine, by age and size. Outputs are the user's: they stay. */
export function cleanUp(options: CleanUpOptions): CleanedUp {
  const oldest = options.clock.now() - options.maxAgeMs;
  const scratch: string[] = [];
  const tmp = join(options.root, "tmp");
  const names = lstatSync(tmp, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(tmp) : [];
  for (const name of names) {
    if (!isSessionId(name) || options.isOpen(name)) continue;
    const folder = join(tmp, name);
    const stat = lstatSync(folder);
    if (!stat.isDirectory() || stat.mtimeMs > oldest) continue;
    rmSync(folder, { recursive: true, force: true });
    scratch.push(name);
  }
  const held = [...listQuarantine(options.quarantine)].sort((a, b) => b.at.localeCompare(a.at));
  let bytes = 0;
  const quarantined: string[] = [];
  for (const turn of held) {
    bytes += turn.bytes;
    if (bytes <= options.maxBytes && Date.parse(turn.at) >= oldest) continue;
    dropFromQuarantine(options.quarantine, turn.turn_id);
    quarantined.push(turn.turn_id);
  }
  return { scratch, quarantined };
}
