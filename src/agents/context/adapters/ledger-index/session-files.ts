import { isUtf8 } from "node:buffer";
import * as fs from "node:fs";
import { join } from "node:path";
import { domainError, isMissing } from "#core/errors";
import { err, isSessionId, ok, type Result } from "#core/values";
import { type Tier, tiers } from "#log";
import type { LedgerKind } from "../../ledger/ledger-search.ts";

export interface SessionFolder {
  readonly session_id: string;
  readonly tier: Tier;
  readonly folder: string;
}

export const chainFiles: Readonly<Record<LedgerKind, string>> = {
  events: ".events.jsonl",
  exec: "ledger/exec.jsonl",
  evidence: "ledger/evidence.jsonl",
};

export function* sessionFolders(root: string): Generator<SessionFolder> {
  for (const tier of tiers) {
    const folder = join(root, "planes", tier, "sessions");
    for (const session_id of namesIn(folder))
      if (isSessionId(session_id)) yield { session_id, tier, folder: join(folder, session_id) };
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return fs.readdirSync(folder);
  } catch (thrown) {
    if (isMissing(thrown)) return [];
    throw thrown;
  }
}

const closing = '"type":"session.close"}\n';

/**
 * A file whose last line is `session.close` is whole: nothing can follow, and everything before it has been written. Answers
 * a stamp that changes with the file, or undefined while the session is open.
 */
export function closedStamp(folder: string): string | undefined {
  const file = join(folder, chainFiles.events);
  let fd: number;
  try {
    fd = fs.openSync(file, "r");
  } catch (thrown) {
    if (isMissing(thrown)) return undefined;
    throw thrown;
  }
  try {
    const { size, mtimeMs } = fs.fstatSync(fd);
    const tail = Buffer.alloc(Math.min(closing.length, size));
    fs.readSync(fd, tail, 0, tail.length, size - tail.length);
    return tail.toString("latin1") === closing ? `${size} ${mtimeMs}` : undefined;
  } finally {
    fs.closeSync(fd);
  }
}

export interface FileLine {
  readonly text: string;
  readonly offset: number;
  /** Without its LF. */
  readonly length: number;
}

const chunkBytes = 256 * 1024;

/** The lines of a file, a portion at a time. A file that is not there has none. */
export function* linesOfFile(file: string): Generator<Result<readonly FileLine[]>> {
  let fd: number;
  try {
    fd = fs.openSync(file, "r");
  } catch (thrown) {
    if (isMissing(thrown)) return;
    throw thrown;
  }
  try {
    let rest = Buffer.alloc(0);
    let at = 0;
    for (;;) {
      const chunk = Buffer.allocUnsafe(Math.max(chunkBytes, rest.length));
      const read = fs.readSync(fd, chunk, 0, chunk.length, at + rest.length);
      if (read === 0) break;
      const bytes = Buffer.concat([rest, chunk.subarray(0, read)]);
      const lines: FileLine[] = [];
      let start = 0;
      for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
        lines.push({ text: bytes.toString("utf8", start, end), offset: at + start, length: end - start });
        start = end + 1;
      }
      if (!isUtf8(bytes.subarray(0, start))) {
        yield err(domainError("LEDGER_CORRUPT", `${file} is not UTF-8`));
        return;
      }
      rest = bytes.subarray(start);
      at += start;
      if (lines.length > 0) yield ok(lines);
    }
    if (rest.length > 0) yield err(domainError("LEDGER_CORRUPT", `${file} ends in the middle of a line`));
  } finally {
    fs.closeSync(fd);
  }
}
