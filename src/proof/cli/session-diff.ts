import { argument, type Command } from "#core/commands";
import { ok, type Result, type SessionId } from "#core/values";
import type { Event } from "#log";
import { resolveSession, type SessionPlace } from "#log";

export const sessionDiff: Command<"records", SessionPlace> = {
  name: "diff",
  summary: "hold two sessions against each other: calls, tools, gates, output, cost; reads only",
  needs: "records",
  json: "a and b, and what differs between them",
  arguments: [argument("a", "id, short id, or last"), argument("b", "id, short id, or last")],
  options: {},
  examples: ["writ session diff 7qk2 last", "writ session diff 7qk2 9xm4 --json"],
  exits: null,
  run: async (records, { arguments: [a = "", b = ""] }) => {
    const { diffSessions } = await import("../diff/align-steps.ts");
    const { sessionSteps } = await import("../diff/session-steps.ts");
    const { drawDiff } = await import("./diff/draw-diff.ts");
    const left = await readSession(records, a);
    if (!left.ok) return left;
    const right = await readSession(records, b);
    if (!right.ok) return right;
    const names = { a: left.value.session_id, b: right.value.session_id };
    const diff = diffSessions(sessionSteps(left.value.events), sessionSteps(right.value.events));
    return ok({ json: { ...names, ...diff }, text: (screen) => drawDiff(diff, names, screen) });
  },
};

async function readSession(
  records: SessionPlace,
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
