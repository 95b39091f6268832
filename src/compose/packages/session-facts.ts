import type { JsonObject } from "#base";
import type { Event, EventLog } from "#events";
import type { Finding, SessionFacts } from "#governance";

const acts = new Set(["llm.request", "tool.invoke", "turn.started"]);

/** What the gates ask of the recorded past. A session that cannot be read is a finding of G6 and leaves no facts. */
export async function readHistory(log: Pick<EventLog, "list" | "read">): Promise<{
  readonly sessions: readonly SessionFacts[];
  readonly damage: readonly Finding[];
}> {
  const sessions: SessionFacts[] = [];
  const damage: Finding[] = [];
  for await (const listed of log.list()) {
    if (!listed.ok) {
      damage.push({ subject: "planes/", message: listed.error.message });
      continue;
    }
    const { session_id } = listed.value;
    const events: Event[] = [];
    let broken = false;
    for await (const event of log.read(session_id)) {
      if (event.ok) events.push(event.value);
      else {
        broken = true;
        damage.push({ subject: session_id, message: event.error.message, repair: `writ session verify ${session_id}` });
      }
    }
    if (!broken) sessions.push(factsOf(session_id, events));
  }
  return { sessions, damage };
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
