import { isSessionId, ok, type Result } from "#core/values";
import type { Event, LogReader } from "#log";
import type { SessionFacts } from "./apps/blame/blame-run.ts";

/** What a session records about its work: the last model, the verdict, and the sandboxed turns. */
export function sessionFactsOf(reader: LogReader): (sessionId: string) => Promise<Result<SessionFacts | null>> {
  return async (sessionId) => {
    if (!isSessionId(sessionId)) return ok(null);
    let model: string | null = null;
    let verdict: string | null = null;
    const turns: string[] = [];
    for await (const batch of reader.readBatches(sessionId)) {
      if (!batch.ok) return batch.error.code === "NOT_FOUND" ? ok(null) : batch;
      for (const event of batch.value)
        switch (event.type) {
          case "llm.response":
            model = event.payload.model ?? model;
            break;
          case "turn.committed":
            turns.push(event.payload.turn_id);
            break;
          case "wo.completed":
            verdict = judged(event.payload);
            break;
          default:
            break;
        }
    }
    return ok({ model, verdict, turns });
  };
}

function judged({ verdict, outcome }: Event<"wo.completed">["payload"]): string {
  return verdict ?? outcome.status;
}
