import { existsSync } from "node:fs";
import { err, ok, type Result, type SessionId } from "#core/values";
import { deriveLedgers, type LedgerRules } from "../ledger.ts";
import { checkLink, type Envelope, parseLine } from "../line.ts";
import { closedError } from "../session-errors.ts";
import { emptyMarks, type SessionMarks } from "../session-state.ts";
import type { Disk } from "./disk.ts";
import { fileLines } from "./file-lines.ts";
import type { SessionPaths } from "./paths.ts";
import { damaged } from "./scan-batches.ts";
import { hashEndingAt } from "./tail.ts";

export interface TakenOver {
  readonly marks: SessionMarks;
  /** Bytes of a torn last line that were cut. */
  readonly cutBytes: number;
}

/**
 * Reads a session that no process claims from its first line to its last, so that nothing is ever appended to lines
 * that do not verify. A torn last line is cut; any other problem is refused. Leaves the files synced.
 */
export async function adoptSession(
  session_id: SessionId,
  paths: SessionPaths,
  rules: LedgerRules,
  disk: Disk,
): Promise<Result<TakenOver>> {
  let marks = emptyMarks;
  let last: Envelope | undefined;
  let cutBytes = 0;
  for await (const portion of fileLines(paths.events, 0)) {
    if (portion.fault === "torn") {
      cutBytes = Buffer.byteLength(portion.texts[0] ?? "");
      break;
    }
    if (portion.fault) return damaged(paths.events, marks.events.bytes, "a line is not UTF-8");
    for (const text of portion.texts) {
      const event = parseLine(text);
      const linked = event.ok ? checkLink(event.value, marks.events, session_id) : event;
      if (!event.ok || !linked.ok)
        return damaged(paths.events, marks.events.bytes, linked.ok ? "" : linked.error.message);
      marks = after(event.value, text, marks, rules);
      last = event.value;
    }
  }
  if (last?.type === "session.close") return err(closedError(session_id));
  for (const file of ["events", "exec", "evidence"] as const) {
    const settled = await settleFile(paths[file], marks[file], cutBytes > 0, disk);
    if (!settled.ok) return settled;
  }
  return ok({ marks, cutBytes });
}

function after(event: Envelope, text: string, marks: SessionMarks, rules: LedgerRules): SessionMarks {
  const events = { seq: event.seq, hash: event.hash, bytes: marks.events.bytes + Buffer.byteLength(text) + 1 };
  const derived = deriveLedgers(event, rules, marks);
  if (!derived) return { ...marks, events };
  const size = (line: { readonly text: string } | undefined) => (line ? Buffer.byteLength(line.text) + 1 : 0);
  return {
    events,
    exec: { ...derived.heads.exec, bytes: marks.exec.bytes + size(derived.exec) },
    evidence: { ...derived.heads.evidence, bytes: marks.evidence.bytes + size(derived.evidence) },
  };
}

/** The file must be exactly what the events say; only after a torn line may there be something to cut. */
async function settleFile(
  path: string,
  mark: { readonly bytes: number; readonly hash: string },
  torn: boolean,
  disk: Disk,
): Promise<Result<void>> {
  if (!existsSync(path)) return mark.bytes === 0 ? ok(undefined) : damaged(path, 0, "the ledger is missing");
  const fd = disk.open(path, "write");
  try {
    const size = disk.size(fd);
    if (size < mark.bytes || (size > mark.bytes && !torn))
      return damaged(path, Math.min(size, mark.bytes), `it has ${size} bytes, its events say ${mark.bytes}`);
    if (mark.bytes > 0 && hashEndingAt(fd, mark.bytes) !== mark.hash)
      return damaged(path, mark.bytes, "the entry that ends here is not the one that its events say");
    if (size > mark.bytes) disk.truncate(fd, mark.bytes);
    await disk.sync(fd);
    return ok(undefined);
  } finally {
    disk.close(fd);
  }
}
