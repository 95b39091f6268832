import type { Command } from "commander";
import { ok, type Result, type SessionId } from "#base";
import type { Records } from "#compose";
import type { Event } from "#events";
import { act } from "../act.ts";
import type { CliContext } from "../context.ts";
import { resolveSession } from "../session/resolve-session.ts";
import { withRecords } from "../session/with-records.ts";

export function addDiff(session: Command, context: CliContext): void {
  session
    .command("diff")
    .description("hold two sessions against each other: calls, tools, gates, output, cost; reads only")
    .argument("<a>", "id, short id, or last")
    .argument("<b>", "id, short id, or last")
    .addHelpText("after", "\nExamples:\n  $ writ session diff 7qk2 last\n  $ writ session diff 7qk2 9xm4 --json\n")
    .action(
      act(context, (invocation) =>
        withRecords(invocation, async (records) => {
          const { diffSessions, sessionSteps } = await import("#events");
          const { drawDiff } = await import("../session/diff/draw-diff.ts");
          const [a, b] = invocation.arguments;
          const left = await readSession(records, a ?? "");
          if (!left.ok) return left;
          const right = await readSession(records, b ?? "");
          if (!right.ok) return right;
          const names = { a: left.value.session_id, b: right.value.session_id };
          const diff = diffSessions(sessionSteps(left.value.events), sessionSteps(right.value.events));
          return ok({ json: { ...names, ...diff }, text: (screen) => drawDiff(diff, names, screen) });
        }),
      ),
    );
}

async function readSession(
  records: Records,
  wanted: string,
): Promise<Result<{ readonly session_id: SessionId; readonly events: readonly Event[] }>> {
  const session_id = await resolveSession(wanted, records);
  if (!session_id.ok) return session_id;
  const events: Event[] = [];
  for await (const batch of records.reader.readBatches(session_id.value)) {
    if (!batch.ok) return batch;
    events.push(...batch.value);
  }
  return ok({ session_id: session_id.value, events });
}
