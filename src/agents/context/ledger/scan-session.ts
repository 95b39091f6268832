import { type DomainError, domainError } from "#core/errors";
import { err, ok, type Result, type SessionId } from "#core/values";
import { checkLink, type Envelope, emptyHead, type Head, type LogReader, parseLine } from "#log";
import type { LedgerKind } from "./ledger-search.ts";

/** The proven entries of one chain of a session, in order. */
export async function* scanSession(
  log: Pick<LogReader, "read" | "readLedger">,
  session_id: SessionId,
  ledger: LedgerKind,
): AsyncGenerator<Result<Envelope>> {
  if (ledger === "events") {
    for await (const event of log.read(session_id)) {
      yield event as Result<Envelope>;
      if (!event.ok) return;
    }
    return;
  }
  let head: Head = emptyHead;
  for await (const lines of log.readLedger(session_id, ledger)) {
    if (!lines.ok) {
      yield lines;
      return;
    }
    for (const { text, fault, number } of lines.value) {
      const entry = fault ? err(damaged(fault)) : prove(text, head, session_id);
      if (!entry.ok) {
        yield err({ ...entry.error, message: `${session_id}, ${ledger} line ${number}: ${entry.error.message}` });
        return;
      }
      head = entry.value;
      yield entry;
    }
  }
}

/** A line that is what it says and follows the one before. */
export function prove(text: string, head: Head, session_id: string): Result<Envelope> {
  const entry = parseLine(text);
  if (!entry.ok) return entry;
  const linked = checkLink(entry.value, head, session_id);
  return linked.ok ? ok(entry.value) : linked;
}

function damaged(fault: string): DomainError {
  return domainError("LEDGER_CORRUPT", `the line is ${fault}`);
}
