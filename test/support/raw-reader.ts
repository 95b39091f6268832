import { isUtf8 } from "node:buffer";
import { ok } from "#core/values";
import type { LogReader, RawLine } from "#log";

/** Reads given bytes as a session: thousands of variants without touching a file. */
export function readerOf(
  events: Buffer,
  ledgers: { readonly exec: Buffer; readonly evidence: Buffer },
): Pick<LogReader, "readLines" | "readLedger"> {
  const lines = { exec: rawLines(ledgers.exec), evidence: rawLines(ledgers.evidence) };
  return {
    readLines: linesIn(events),
    async *readLedger(_, ledger) {
      yield ok(lines[ledger]);
    },
  };
}

export function linesIn(bytes: Buffer): LogReader["readLines"] {
  return async function* () {
    yield ok(rawLines(bytes));
  };
}

function rawLines(bytes: Buffer): readonly RawLine[] {
  const lines: RawLine[] = [];
  for (let start = 0, number = 1; start < bytes.length; number++) {
    const stop = bytes.indexOf(10, start);
    const part = bytes.subarray(start, stop < 0 ? bytes.length : stop);
    lines.push({
      text: part.toString("utf8"),
      number,
      fault: !isUtf8(part) ? "not_utf8" : stop < 0 ? "torn" : undefined,
    });
    start = stop < 0 ? bytes.length : stop + 1;
  }
  return lines;
}
