import { domainError, err, ok, suggest } from "#base";
import type { Event, EventKinds, LogReader, replay } from "#events";
import { type Command, flag, text } from "../command.ts";
import { sameWorkspace } from "../output/same-workspace.ts";
import { type SelectedSession, sessionOrLast } from "../session/session-argument.ts";
import { type View, views } from "../session/show-session.ts";

type ShowParts = SelectedSession<
  Parameters<typeof replay>[1] & { readonly reader: LogReader; eventKinds(): Promise<EventKinds> }
>;

interface ShowOptions {
  readonly full?: boolean;
  readonly only?: string;
}

export const sessionShow: Command<"recorded session", ShowParts, ShowOptions> = {
  name: "show",
  summary: "the story of a session: timeline, gates, cost, files",
  needs: "recorded session",
  json: "snapshot_v1 with timeline",
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
  run: async ({ session_id, records }, invocation) => {
    const { only, full = false } = invocation.options;
    if (only !== undefined && !isView(only)) return err(unknownView(only));
    const { replay } = await import("#events");
    const { showSession } = await import("../session/show-session.ts");
    const { Timeline } = await import("../session/timeline.ts");
    const timeline = new Timeline(await records.eventKinds());
    const events: Event[] = [];
    for await (const batch of records.reader.readBatches(session_id)) {
      if (!batch.ok) return batch;
      for (const event of batch.value) {
        timeline.add(event);
        events.push(event);
      }
    }
    const snapshot = await replay(session_id, { ...records, verify: false });
    if (!snapshot.ok) return snapshot;
    const shown = { snapshot: snapshot.value, timeline, events, nowMs: invocation.context.clock.now() };
    return ok({
      json: {
        ...snapshot.value,
        timeline: timeline.rows.map(({ events: from, ...row }) => ({ ...row, seqs: from.map(({ seq }) => seq) })),
      },
      text: (screen) => showSession(shown, screen, { full, only, place: sameWorkspace(invocation) }),
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
