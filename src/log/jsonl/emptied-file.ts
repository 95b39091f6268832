import * as fs from "node:fs";
import { isMissing } from "#core/errors";
import { ok, type Result, type SessionId } from "#core/values";
import { sessionPaths } from "./paths.ts";
import { damaged } from "./scan-batches.ts";
import { findSegments, type Journals, placeOnDisk } from "./session-paths.ts";
import { firstLine } from "./tail.ts";

/**
 * The events file of a session when it holds no event and no journal claims the session: a writer creates the file
 * after its claim and releases the claim when the file is complete, so another program emptied it. The journals are read
 * only where there is such a file: a session whose process ended before its first event has none.
 */
export async function emptiedFile(journals: Journals, session_id: SessionId): Promise<Result<string | undefined>> {
  if (fileWithoutEvents(journals.root, session_id) === undefined) return ok(undefined);
  const found = await findSegments({ ...journals, without: undefined }, session_id);
  if (!found.ok) return found;
  found.value.close();
  return ok(found.value.segments.length > 0 ? undefined : fileWithoutEvents(journals.root, session_id));
}

function fileWithoutEvents(root: string, session_id: SessionId): string | undefined {
  const place = placeOnDisk(root, session_id);
  if (!place) return undefined;
  const file = sessionPaths(root, place.tier, session_id).events;
  try {
    const fd = fs.openSync(file, "r");
    try {
      return firstLine(fd) === undefined ? file : undefined;
    } finally {
      fs.closeSync(fd);
    }
  } catch (thrown) {
    if (isMissing(thrown)) return undefined;
    throw thrown;
  }
}

export function withoutEvents(file: string, session_id: SessionId): Result<never> {
  return damaged(file, 0, `${session_id} has not one event: its file was emptied`);
}
