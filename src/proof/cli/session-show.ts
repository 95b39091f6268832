import { type Command, flag, text } from "#core/commands";
import { domainError } from "#core/errors";
import { sameWorkspace } from "#core/terminal";
import { err, ok, suggest } from "#core/values";
import type { Event, EventKinds, LogReader, replay } from "#log";
import { type SelectedSession, sessionOrLast } from "#log";
import type { ShownWrites } from "../pending-writes.ts";
import { type View, views } from "./render-session.ts";

interface ShowParts extends SelectedSession<Parameters<typeof replay>[1] & { readonly reader: LogReader }> {
  readonly eventKinds: EventKinds;
  pendingWrites(): Promise<ShownWrites | undefined>;
}

/** An order is recorded among the first events, or not at all. */
const openingLength = 32;

interface ShowOptions {
  readonly full?: boolean;
  readonly only?: string;
}

export const sessionShow: Command<"recorded session", ShowParts, ShowOptions> = {
  name: "show",
  summary: "the story of a session: timeline, gates, cost, files",
  needs: "recorded session",
  json: "session_snapshot_v1 with timeline, and pending_writes where what it wrote has not landed",
  arguments: [sessionOrLast],
  options: {
    full: flag("with prompts and payloads"),
    only: text("what", `only ${views.join(", ")}`),
  },
  examples: [
    "writ session show last",
    "writ session show 7qk2 --only denied",
    "writ session show 7qk2 --full | less -R",
  ],
  exits: null,
  run: async ({ session_id, records, eventKinds, pendingWrites }, invocation) => {
    const { only, full = false } = invocation.options;
    if (only !== undefined && !isView(only)) return err(unknownView(only));
    const { replay } = await import("../../log/fold/replay.ts");
    const { renderSession } = await import("./render-session.ts");
    const { Timeline } = await import("./timeline.ts");
    const { TouchedFiles } = await import("./files-of.ts");
    const timeline = new Timeline(eventKinds, { keepsEvents: full });
    const touched = new TouchedFiles();
    const opening: Event[] = [];
    let last: Event | undefined;
    for await (const batch of records.reader.readBatches(session_id)) {
      if (!batch.ok) return batch;
      for (const event of batch.value) {
        timeline.add(event);
        touched.add(event);
        if (opening.length < openingLength) opening.push(event);
        last = event;
      }
    }
    const snapshot = await replay(session_id, { ...records, verify: false });
    if (!snapshot.ok) return snapshot;
    const pending = await pendingWrites();
    const close = last?.type === "session.close" ? last : undefined;
    const of = { snapshot: snapshot.value, timeline, opening, close, files: touched.list() };
    const shown = { ...of, pending, nowMs: invocation.context.clock.now() };
    return ok({
      json: {
        ...snapshot.value,
        ...(pending ? { pending_writes: pending } : {}),
        timeline: timeline.rows.map(({ events: _, seqs, ...row }) => ({ ...row, seqs })),
      },
      text: (screen) => renderSession(shown, screen, { full, only, place: sameWorkspace(invocation) }),
    });
  },
};

function isView(text: string): text is View {
  return (views as readonly string[]).includes(text);
}

function unknownView(only: string) {
  const meant = suggest(only, views);
  return domainError("MALFORMED_INPUT", `--only does not know "${only}"`, {
    details: { hint: meant ? `did you mean ${meant}?` : `it takes ${views.join(", ")}` },
  });
}
