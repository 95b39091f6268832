import type { Answer, Invocation } from "#core/commands";
import { type Command, CommandFailed, flag, numberOption, text, whileRead } from "#core/commands";
import type { Screen } from "#core/terminal";
import { offset, oneLine } from "#core/terminal";
import { ok, type Result, type SessionId } from "#core/values";
import type { Event, LogReader } from "#log";
import { type SelectedSession, sessionOrLast } from "#log";
import { summarize } from "./summarize.ts";

interface EventsOptions {
  readonly follow?: boolean;
  readonly from: string;
  readonly type?: string;
}

export const sessionEvents: Command<"recorded session", SelectedSession, EventsOptions> = {
  name: "events",
  summary: "the events of a session, as they were recorded",
  needs: "recorded session",
  json: "session_id and events, each an event_v1; with --follow a line per event",
  arguments: [sessionOrLast],
  options: {
    follow: flag("go on until the session closes; with --json a line per event"),
    from: text("seq", "begin at this event", "1"),
    type: text("prefix", "only types that begin like this, such as tool or hook.fired"),
  },
  examples: [
    "writ session events last --type tool",
    "writ session events 7qk2 --follow",
    "writ session events 7qk2 --json | jq '.events[] | select(.type == \"hook.fired\")'",
  ],
  exits: null,
  run: async ({ session_id, records: { reader } }, invocation) => {
    const { options, context, json } = invocation;
    const first = numberOption("--from", options.from, { what: "the number of an event" });
    if (!first.ok) return first;
    const from = first.value;
    const source = options.follow
      ? reader.follow(session_id, { from, signal: whileRead(context) })
      : reader.read(session_id, { from });
    return json && !options.follow
      ? document(session_id, reader, { ...options, from })
      : print(source, invocation, await beginning(reader, session_id));
  },
};

/** Read twice, so that nothing is printed of a session that cannot be read to its end, however long it is. */
async function document(
  session_id: SessionId,
  reader: LogReader,
  options: Omit<EventsOptions, "from"> & { readonly from: number },
): Promise<Result<Answer>> {
  let last = 0;
  for await (const batch of reader.readBatches(session_id, { from: options.from })) {
    if (!batch.ok) return batch;
    last = batch.value.at(-1)?.seq ?? last;
  }
  return ok({ json: { session_id, events: wantedEvents(session_id, reader, { ...options, last }) } });
}

async function* wantedEvents(
  session_id: SessionId,
  reader: LogReader,
  { from, last, type }: { readonly from: number; readonly last: number; readonly type?: string },
): AsyncGenerator<Event> {
  for await (const event of reader.read(session_id, { from })) {
    if (!event.ok) throw new CommandFailed(event.error);
    if (event.value.seq > last) return; // a writer has gone on since
    if (isWanted(event.value, type === undefined ? {} : { type })) yield event.value;
    if (event.value.seq === last) return;
  }
}

/** Times count from the session's first event, also where later ones alone are shown. */
async function beginning(reader: LogReader, session_id: SessionId): Promise<number | undefined> {
  for await (const first of reader.read(session_id)) return first.ok ? Date.parse(first.value.ts) : undefined;
  return undefined;
}

/** Printed as they come: a session may be long, and a followed one has no end yet. */
async function print(
  source: AsyncIterable<Result<Event>>,
  { context, screen, json, options }: Invocation<EventsOptions>,
  began: number | undefined,
): Promise<Result<Answer>> {
  let start = began;
  let shown = 0;
  const types = new Set<string>();
  for await (const event of source) {
    if (!event.ok) return event;
    if (context.stdout.closed?.aborted) break;
    start ??= Date.parse(event.value.ts);
    types.add(event.value.type);
    if (!isWanted(event.value, options)) continue;
    shown += 1;
    context.stdout.write(json ? `${JSON.stringify(event.value)}\n` : `${line(event.value, start, screen)}\n`);
    await context.stdout.drained?.();
  }
  if (shown === 0) context.stderr.write(`${nothingShown(options, types)}\n`);
  return ok({});
}

/** An empty answer to a slip would look like a session without events. */
function nothingShown({ from, type }: EventsOptions, types: ReadonlySet<string>): string {
  if (types.size === 0) return `there is no event from ${from} on`;
  return `no type of event begins with "${type ?? ""}" here; there are ${[...types].sort().join(", ")}`;
}

function isWanted({ type }: Event, { type: prefix }: Pick<EventsOptions, "type">): boolean {
  return prefix === undefined || type.startsWith(prefix);
}

function line(event: Event, start: number, screen: Screen): string {
  const head = `${screen.dim(String(event.seq).padStart(5))}  ${screen.dim(offset(Date.parse(event.ts) - start))}  ${event.type.padEnd(22)}  ${screen.cyan(oneLine(event.actor).padEnd(10))}  `;
  const room = Math.max(24, screen.width - 52);
  const payload = oneLine(summarize(event.payload));
  return `${head}${screen.dim(payload.length > room ? `${payload.slice(0, room - 1)}${screen.unicode ? "…" : "."}` : payload)}`;
}
