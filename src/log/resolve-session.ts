import { type DomainError, domainError } from "#core/errors";
import { err, isSessionId, ok, type Result, type SessionId, suggest } from "#core/values";
import type { LogReader } from "./event-log.ts";

const shownAtMost = 6;

/** Where sessions are looked up. */
export interface SessionPlace {
  readonly root: string;
  readonly reader: LogReader;
}

/**
 * The session that a person means: its whole id, the beginning of its random part (`7qk2`), any beginning of the id,
 * or `last` for the newest that a work order made.
 */
export async function resolveSession(wanted: string, records: SessionPlace): Promise<Result<SessionId>> {
  if (isSessionId(wanted) && (await records.reader.locate(wanted)).ok) return ok(wanted);
  if (wanted === "last") return newest(records);
  if (wanted.trim() === "") return err(unnamed()); // every id begins with nothing: a script's unset variable names none of them
  const { sessionIds } = await import("./session-ids.ts");
  const ids = await sessionIds(records.root, records.reader);
  const lower = wanted.toLowerCase();
  const found = ids.filter((id) => id.toLowerCase().startsWith(lower) || shortPart(id).startsWith(lower));
  if (found.length === 1) return ok(found[0] as SessionId);
  return err(found.length > 1 ? ambiguous(wanted, found) : unknown(wanted, ids));
}

/** The part of an id that people type. */
export function shortPart(session_id: string): string {
  return session_id.replace(/^SES-\d{8}-/, "");
}

/** As few characters as people can tell apart at a glance. */
export function shortId(session_id: string, length = 8): string {
  return shortPart(session_id).slice(0, length);
}

/**
 * Decisions of people (an approval, a key) are recorded in sessions of their own: `last` means one only where there is
 * no other.
 */
async function newest({ reader }: Pick<SessionPlace, "reader">): Promise<Result<SessionId>> {
  const newest = await reader.newest({ limit: 1, ordersFirst: true });
  if (!newest.ok) return newest;
  const [last] = newest.value.sessions;
  return last
    ? ok(last.session_id)
    : err(
        domainError("NOT_FOUND", "this workspace has no sessions yet", {
          details: { hint: 'make one with `writ run "greet Ada"`' },
        }),
      );
}

function ambiguous(wanted: string, found: readonly string[]): DomainError {
  const shown = found.slice(0, shownAtMost).join(", ");
  const more = found.length > shownAtMost ? ` and ${found.length - shownAtMost} more` : "";
  return domainError("AMBIGUOUS_ID", `${found.length} sessions begin with "${wanted}"`, {
    details: { hint: `give a few more characters: ${shown}${more}`, candidates: found.slice(0, 20) },
  });
}

function unnamed(): DomainError {
  return domainError("NOT_FOUND", "the name of the session is empty", {
    details: { hint: "give its id, a few characters of it, or last; `writ session list` shows those there are" },
  });
}

function unknown(wanted: string, ids: readonly string[]): DomainError {
  const short = shortPart(wanted).slice(0, 8).toLowerCase();
  const meant =
    short === ""
      ? undefined
      : suggest(
          short,
          ids.map((id) => shortPart(id).slice(0, short.length)),
        );
  const id = meant === undefined ? undefined : ids.find((each) => shortPart(each).startsWith(meant));
  return domainError("NOT_FOUND", `there is no session "${wanted}"`, {
    details: { hint: id ? `did you mean ${shortId(id)} (${id})?` : "`writ session list` shows those there are" },
  });
}
