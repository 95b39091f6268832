import type { JsonObject } from "#base";
import type { Event, LogReader } from "#events";
import type { SessionFacts } from "#governance";

const acts = new Set(["llm.request", "tool.invoke", "turn.started"]);

/** What the gates ask of the recorded past. A session that cannot be read is for G6 to find, and leaves no facts. */
export async function readHistory(log: LogReader): Promise<readonly SessionFacts[]> {
  const sessions: SessionFacts[] = [];
  for await (const listed of log.list()) {
    if (!listed.ok) continue;
    const events: Event[] = [];
    let isWhole = true;
    for await (const event of log.read(listed.value.session_id)) {
      if (event.ok) events.push(event.value);
      else isWhole = false;
    }
    if (isWhole) sessions.push(factsOf(listed.value.session_id, events));
  }
  return sessions;
}

function factsOf(session_id: string, events: readonly Event[]): SessionFacts {
  let work_order_id: string | null = null;
  let started: SessionFacts["started"] = null;
  let accepted: boolean | null = null;
  let completed = false;
  let acted = false;
  const writes: string[] = [];
  const asked = new Map<string, string>();
  for (const event of events) {
    const payload: Readonly<Record<string, unknown>> = { ...event.payload };
    acted ||= acts.has(event.type);
    switch (event.type as string) {
      case "session.start":
        work_order_id = textOf(payload["work_order_id"]);
        break;
      case "wo.started":
        started = {
          work_order: payload["work_order"],
          caller_id: textOf(payload["caller_id"]) ?? "",
          dev_mode: payload["dev_mode"] === true,
          path_authorizations: listOf(payload["path_authorizations"]),
        };
        break;
      case "acceptance.checked":
        accepted = payload["passed"] === true;
        break;
      case "wo.completed":
        completed = true;
        break;
      case "tool.invoke": {
        const path = textOf((payload["args"] as JsonObject | undefined)?.["path"]);
        if (payload["name"] === "fs.write" && path !== null) asked.set(textOf(payload["call_id"]) ?? "", path);
        break;
      }
      case "tool.result": {
        const path = asked.get(textOf(payload["call_id"]) ?? "");
        if (path !== undefined && payload["status"] === "ok") writes.push(path);
        break;
      }
      case "turn.committed":
        for (const output of Array.isArray(payload["outputs"]) ? payload["outputs"] : []) {
          const path = textOf((output as JsonObject)["path"]);
          if (path !== null) writes.push(path);
        }
        break;
    }
  }
  return { session_id, work_order_id, acted, started, completed, accepted, writes };
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function listOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each): each is string => typeof each === "string") : [];
}
