import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { removeWholeTree } from "#core/machine";
import { type Clock, isSessionId } from "#core/values";
import { unlessGone } from "./files/unless-gone.ts";
import { dropFromQuarantine, listQuarantine } from "./quarantine/quarantine.ts";

/** How long something is kept, and how much of it; the oldest goes first. */
export interface Keeping {
  readonly maxAgeMs: number;
  readonly maxBytes: number;
}

export interface CleanUpOptions {
  readonly root: string;
  readonly quarantine: string;
  readonly clock: Clock;
  readonly keepScratch: Keeping;
  readonly keepQuarantine: Keeping;
  /** Sessions that are still at work. */
  readonly isOpen: (sessionId: string) => boolean;
}

export interface CleanedUp {
  readonly scratch: readonly string[];
  readonly quarantined: readonly string[];
}

interface Kept {
  readonly name: string;
  readonly at: number;
  readonly bytes: number;
}

/** Removes scratch of sessions that are over and old quarantine, both by age and by size. Outputs are the user's: they stay. */
export function cleanUp(options: CleanUpOptions): CleanedUp {
  const now = options.clock.now();
  const scratch = overdue(scratchOf(options), options.keepScratch, now);
  for (const name of scratch) removeWholeTree(join(options.root, "tmp", name));
  const held = listQuarantine(options.quarantine).map(({ turn_id, at, bytes }): Kept => {
    return { name: turn_id, at: Date.parse(at), bytes };
  });
  const quarantined = overdue(held, options.keepQuarantine, now);
  for (const name of quarantined) dropFromQuarantine(options.quarantine, name);
  return { scratch, quarantined };
}

/** What is too old, and then the oldest of what is too much. */
function overdue(kept: readonly Kept[], { maxAgeMs, maxBytes }: Keeping, now: number): readonly string[] {
  let bytes = 0;
  return kept
    .toSorted((a, b) => b.at - a.at)
    .filter((each) => {
      bytes += each.bytes;
      return now - each.at > maxAgeMs || bytes > maxBytes;
    })
    .map(({ name }) => name);
}

function scratchOf({ root, isOpen }: CleanUpOptions): readonly Kept[] {
  const tmp = join(root, "tmp");
  const isFolder = lstatSync(tmp, { throwIfNoEntry: false })?.isDirectory() ?? false;
  const names = isFolder ? (unlessGone(() => readdirSync(tmp)) ?? []) : [];
  return names.flatMap((name) => {
    if (!isSessionId(name) || isOpen(name)) return [];
    const stat = lstatSync(join(tmp, name), { throwIfNoEntry: false });
    return stat?.isDirectory() ? [{ name, at: stat.mtimeMs, bytes: bytesBelow(join(tmp, name)) }] : [];
  });
}

function bytesBelow(folder: string): number {
  let bytes = 0;
  const folders = [folder];
  for (let here = folders.pop(); here !== undefined; here = folders.pop())
    for (const entry of unlessGone(() => readdirSync(here, { withFileTypes: true })) ?? []) {
      const path = join(here, entry.name);
      if (entry.isDirectory()) folders.push(path);
      else bytes += lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;
    }
  return bytes;
}
