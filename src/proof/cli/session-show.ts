import { type Command, flag, text } from "#core/commands";
import { domainError } from "#core/errors";
import { sameWorkspace } from "#core/terminal";
import { err, ok, suggest } from "#core/values";
import type { EventKinds, LogReader, replay } from "#log";
import { type SelectedSession, sessionOrLast } from "#log";
import type { ShownWrites } from "../pending-writes.ts";
import { type View, views } from "./render-session.ts";
import type { TimelineRow } from "./timeline.ts";

interface ShowParts extends SelectedSession<Parameters<typeof replay>[1] & { readonly reader: LogReader }> {
  readonly eventKinds: EventKinds;
  pendingWrites(): Promise<ShownWrites | undefined>;
}

interface ShowOptions {
  readonly full?: boolean;
  readonly only?: string;
}

export const sessionShow: Command<"recorded session", ShowParts, ShowOptions> = {
  name: "show",
  summary: "the story of a session: timeline, gates, cost, files",
  needs: "recorded session",
  json: "session_snapshot_v1 with timeline, answers (allowed_by, saw, wrote, cost), and pending_writes where what it wrote has not landed",
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
    const { surveySession } = await import("./survey-session.ts");
    const { renderSession } = await import("./render-session.ts");
    const survey = await surveySession(session_id, { ...records, eventKinds }, only);
    if (!survey.ok) return survey;
    const pending = await pendingWrites();
    const { snapshot, rows, ...found } = survey.value;
    const shown = { ...found, snapshot, pending, nowMs: invocation.context.clock.now(), rows: () => rows(full) };
    return ok({
      json: {
        ...snapshot,
        ...(pending ? { pending_writes: pending } : {}),
        answers: survey.value.answers,
        timeline: withoutEvents(rows(false)),
      },
      text: (screen) => renderSession(shown, screen, { full, only, place: sameWorkspace(invocation) }),
    });
  },
};

async function* withoutEvents(rows: AsyncIterable<TimelineRow>): AsyncGenerator<Omit<TimelineRow, "events">> {
  for await (const { events: _, seqs, ...row } of rows) yield { ...row, seqs };
}

function isView(text: string): text is View {
  return (views as readonly string[]).includes(text);
}

function unknownView(only: string) {
  const meant = suggest(only, views);
  return domainError("MALFORMED_INPUT", `--only does not know "${only}"`, {
    details: { hint: meant ? `did you mean ${meant}?` : `it takes ${views.join(", ")}` },
  });
}
