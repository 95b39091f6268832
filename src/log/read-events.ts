import { type DomainError, domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import type { Event } from "./event.ts";
import type { RawLine, ReadOptions } from "./event-log.ts";
import { checkLink, type Envelope, emptyHead, type Head, parseLine } from "./line.ts";

/** Lines in order, without their LF, from the first of the session on, or from `after` where it is set. */
export interface LinePortion {
  readonly texts: readonly string[];
  readonly fault: RawLine["fault"];
}

/**
 * Turns lines into events. Each line is verified and must follow the one before; the first that does not ends the
 * reading with its number.
 */
export async function* eventsOf(
  portions: AsyncIterable<Result<LinePortion>>,
  session_id: string,
  options: ReadOptions = {},
): AsyncGenerator<Result<readonly Event[]>> {
  const { from = 1, verify = true, after } = options;
  let number = after?.seq ?? 0;
  let head: Head | undefined = after ?? emptyHead;
  for await (const portion of portions) {
    if (!portion.ok) {
      yield portion;
      return;
    }
    const { texts, fault } = portion.value;
    if (number + texts.length < from) {
      number += texts.length;
      head = undefined;
      continue;
    }
    const events: Envelope[] = [];
    for (let index = 0; index < texts.length; index++) {
      number += 1;
      if (number < from) {
        head = undefined;
        continue;
      }
      const text = texts[index] as string;
      const isFaulty = fault !== undefined && index === texts.length - 1;
      const event = isFaulty ? faulty(fault) : verify ? prove(text, number, head, session_id) : parse(text);
      if (!event.ok) {
        if (events.length > 0) yield ok(events as unknown as readonly Event[]);
        yield err(atLine(event.error, session_id, number));
        return;
      }
      head = event.value;
      events.push(event.value);
    }
    if (events.length > 0) yield ok(events as unknown as readonly Event[]);
  }
}

/** Without a head (reading began in the middle) the line's number replaces it. */
function prove(text: string, number: number, head: Head | undefined, session_id: string): Result<Envelope> {
  const event = parseLine(text);
  if (!event.ok) return event;
  const linked = checkLink(event.value, head ?? { seq: number - 1, hash: event.value.prev_hash }, session_id);
  return linked.ok ? event : linked;
}

function parse(text: string): Result<Envelope> {
  try {
    return ok(JSON.parse(text) as Envelope);
  } catch {
    return err(domainError("LEDGER_CORRUPT", "the line is not JSON", { details: { fault: "not_json" } }));
  }
}

function faulty(fault: "torn" | "not_utf8"): Result<never> {
  const what = fault === "torn" ? "the file ends in the middle of the line" : "the line is not UTF-8";
  return err(domainError("LEDGER_CORRUPT", what, { details: { fault } }));
}

function atLine(error: DomainError, session_id: string, line: number): DomainError {
  return {
    ...error,
    message: `${session_id}, line ${line}: ${error.message}`,
    details: { ...error.details, session_id, line },
  };
}

/** Flattens batches, for callers that read one event at a time. */
export async function* eventByEvent(batches: AsyncIterable<Result<readonly Event[]>>): AsyncGenerator<Result<Event>> {
  for await (const batch of batches) {
    if (!batch.ok) yield batch;
    else for (const event of batch.value) yield ok(event);
  }
}

/** Ends when the session closes, when the signal aborts, or when the session cannot be read. */
export async function* untilClosed(
  batches: AsyncIterable<Result<readonly Event[]>>,
  signal: AbortSignal,
): AsyncGenerator<Result<Event>> {
  for await (const event of eventByEvent(batches)) {
    yield event;
    if (!event.ok || event.value.type === "session.close" || signal.aborted) return;
  }
}
