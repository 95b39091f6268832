import { existsSync, readdirSync } from "node:fs";
import { isSessionId, type SessionId } from "#core/values";
import type { LogReader } from "./event-log.ts";
import { sessionsFolder } from "./jsonl/paths.ts";
import { tiers } from "./tier.ts";

/**
 * Every session of the workspace by id: folders and journals together. A folder counts even when nothing in it can be
 * read.
 */
export async function sessionIds(root: string, reader: Pick<LogReader, "ids">): Promise<readonly SessionId[]> {
  const ids = new Set<SessionId>();
  for (const tier of tiers) {
    const folder = sessionsFolder(root, tier);
    if (existsSync(folder)) for (const name of readdirSync(folder)) if (isSessionId(name)) ids.add(name);
  }
  for await (const id of reader.ids()) if (id.ok) ids.add(id.value); // a damaged session is reported when it is read
  return [...ids].sort();
}
