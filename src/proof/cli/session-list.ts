import { type Command, flag, numberOption, text } from "#core/commands";
import type { Screen } from "#core/terminal";
import { ago, count, duration, oneLine, table } from "#core/terminal";
import { ok } from "#core/values";
import type { LogReader, SessionInfo } from "#log";
import { shortId } from "#log";

interface ListParts {
  readonly reader: LogReader;
}

interface ListOptions {
  readonly limit: string;
  readonly open?: boolean;
  readonly failed?: boolean;
}

export const sessionList: Command<"records", ListParts, ListOptions> = {
  name: "list",
  summary: "every session, the newest first",
  needs: "records",
  json: "sessions, total and damaged",
  arguments: [],
  options: {
    limit: text("n", "show at most so many", "50"),
    open: flag("only those that have not closed"),
    failed: flag("only those that ended without success"),
  },
  examples: ["writ session list", "writ session list --failed --json | jq '.sessions[].session_id'"],
  exits: { 1: "a session is damaged" },
  run: async ({ reader }, { options, context, json }) => {
    const { open, failed } = options;
    const limit = numberOption("--limit", options.limit);
    if (!limit.ok) return limit;
    const only = open ? ({ only: "open" } as const) : failed ? ({ only: "failed" } as const) : {};
    const newest = await reader.newest({ limit: limit.value, ...only });
    if (!newest.ok) return newest;
    const { sessions: shown, total } = newest.value;
    const damaged = newest.value.damaged.map(({ message }) => message);
    const { askedOf } = await import("../../log/recorded-prompt.ts");
    const asked = json ? [] : await Promise.all(shown.map(({ session_id }) => askedOf(session_id, reader)));
    return ok({
      json: { sessions: shown, total, damaged },
      text: (screen) => describe({ shown, asked, total, damaged }, screen, context.clock.now()),
      exit: damaged.length > 0 ? 1 : 0,
    });
  },
};

/** A call outside the order is news, also where the order then succeeded. */
function refusedMark({ refused_acts }: SessionInfo, screen: Screen): string {
  return refused_acts === undefined ? "" : screen.yellow(` ! ${refused_acts} refused`);
}

const roomy = 100;

interface Listing {
  readonly shown: readonly SessionInfo[];
  /** What each of them was asked for. */
  readonly asked: readonly (string | null)[];
  readonly total: number;
  readonly damaged: readonly string[];
}

function describe({ shown, asked, total, damaged }: Listing, screen: Screen, now: number): string {
  if (total === 0 && damaged.length === 0) return 'No sessions yet. Make one: writ run "greet Ada"\n';
  // Cut to its date, a work order says nothing, and takes the room from what was asked.
  const isRoomy = !screen.live || screen.width >= roomy;
  const rows = shown.map((info, at) => [
    screen.bold(shortId(info.session_id)),
    ago(now - Date.parse(info.started_at)),
    info.closed
      ? `${info.ok ? screen.green(info.status ?? "done") : screen.red(info.status ?? "failed")}${refusedMark(info, screen)}`
      : screen.yellow("open"),
    duration(Date.parse(info.last_at) - Date.parse(info.started_at)),
    count(info.events),
    ...(isRoomy ? [info.tier, oneLine(info.work_order_id ?? "")] : []),
    [...(info.notices ?? []).map((notice) => screen.yellow(oneLine(notice))), oneLine(asked[at] ?? "")].join("; "),
    ...(screen.live ? [] : [info.session_id]),
  ]);
  // In a terminal the whole id would only take room from what was asked: the short one is as good, and --json has both.
  const wholeId = screen.live ? [] : ["session"];
  const order = isRoomy ? ["tier", "work order"] : [];
  const head = ["id", "started", "state", "took", "events", ...order, "asked", ...wholeId];
  const lines = [table(screen, head, rows)];
  if (total > shown.length) lines.push(screen.dim(`${total - shown.length} older ones; --limit shows more`), "\n");
  for (const message of damaged) lines.push(`${screen.red(screen.sign.bad)} ${message}\n`);
  return lines.join("");
}
