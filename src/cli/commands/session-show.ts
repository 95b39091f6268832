import type { Command } from "commander";
import { domainError, err, ok, suggest } from "#base";
import type { Event } from "#events";
import { act } from "../act.ts";
import type { CliContext } from "../context.ts";
import { sameWorkspace } from "../output/same-workspace.ts";
import { type View, views } from "../session/show-session.ts";
import { withSession } from "../session/with-records.ts";

interface ShowOptions {
  readonly full?: boolean;
  readonly only?: string;
}

export function addShow(session: Command, context: CliContext): void {
  session
    .command("show")
    .description("the story of a session: timeline, gates, cost, files")
    .argument("[session]", "id, short id, or last", "last")
    .option("--full", "with prompts and payloads")
    .option("--only <what>", `only ${views.join(", ")}`)
    .addHelpText(
      "after",
      "\nExamples:\n  $ writ session show last\n  $ writ session show 7qk2 --only denied\n  $ writ session show 7qk2 --full | less -R\n",
    )
    .action(
      act<ShowOptions>(context, (invocation) =>
        withSession(invocation, async (session_id, records) => {
          const { only, full = false } = invocation.options;
          if (only !== undefined && !isView(only)) return err(unknownView(only));
          const { replay } = await import("#events");
          const { showSession } = await import("../session/show-session.ts");
          const { Timeline } = await import("../session/timeline.ts");
          const timeline = new Timeline();
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
          const shown = { snapshot: snapshot.value, timeline, events, nowMs: context.clock.now() };
          return ok({
            json: {
              ...snapshot.value,
              timeline: timeline.rows.map(({ events: from, ...row }) => ({ ...row, seqs: from.map(({ seq }) => seq) })),
            },
            text: (screen) => showSession(shown, screen, { full, only, place: sameWorkspace(invocation) }),
          });
        }),
      ),
    );
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
