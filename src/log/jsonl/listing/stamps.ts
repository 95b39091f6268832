import { statSync } from "node:fs";
import type { Tier } from "../../tier.ts";
import { sessionPaths, sessionsFolder } from "../paths.ts";

/**
 * A text that changes when a session's folder is made in the tier or removed from it. The count of folders is part of it
 * where the file system keeps one: two changes within one tick of its clock show too.
 */
export function folderStamp(root: string, tier: Tier): string {
  const found = statSync(sessionsFolder(root, tier), { bigint: true, throwIfNoEntry: false });
  return found ? `${found.ino} ${found.mtimeNs} ${found.ctimeNs} ${found.nlink}` : "none";
}

/** A text that changes when the events file of a session does; empty where there is none. */
export function eventsStamp(root: string, tier: Tier, session_id: string): string {
  const found = statSync(sessionPaths(root, tier, session_id).events, { throwIfNoEntry: false });
  return found ? `${tier} ${found.ino} ${found.size} ${found.mtimeMs} ${found.ctimeMs}` : "";
}
