import type { Clock, JsonObject } from "#core/values";
import type { Event, LogReader, SessionInfo } from "#log";
import type { SessionFacts } from "./history.ts";
import { markOfSession, type SessionMemory } from "./session-memory.ts";

const acts = new Set(["llm.request", "tool.invoke", "turn.started"]);

/**
 * What the gates ask of the recorded past. A session that cannot be read is for G6 to find, and leaves no facts. One that is
 * closed is read once: after that its head and the marks of its files are looked at.
 */
export async function readHistory(
  log: LogReader,
  memory: SessionMemory<SessionFacts>,
  clock: Clock,
): Promise<readonly SessionFacts[]> {
  const sessions: SessionFacts[] = [];
  for await (const listed of log.list()) {
    if (!listed.ok) continue;
    const mark = listed.value.closed ? await markOf(log, listed.value, clock) : undefined;
    const known = memory.recall(listed.value.session_id, mark);
    if (known) {
      sessions.push(known);
      continue;
    }
    const events: Event[] = [];
    let isWhole = true;
    for await (const event of log.read(listed.value.session_id)) {
      if (event.ok) events.push(event.value);
      else isWhole = false;
    }
    if (!isWhole) continue;
    const facts = factsOf(listed.value.session_id, events);
    memory.keep(facts.session_id, mark, facts);
    sessions.push(facts);
  }
  return sessions;
}

async function markOf(log: LogReader, session: SessionInfo, clock: Clock): Promise<string | undefined> {
  const place = await log.locate(session.session_id);
  const mark = place.ok ? markOfSession(place.value.folder, clock) : undefined;
  return mark === undefined ? undefined : `${session.head_hash}\n${mark}`;
}

function factsOf(session_id: string, events: readonly Event[]): SessionFacts {
  let work_order_id: string | null = null;
  let started: SessionFacts["started"] = null;
  let accepted: boolean | null = null;
  let completed = false;
  let acted = false;
  let isChild = false;
  const writes: string[] = [];
  const asked = new Map<string, string>();
  for (const event of events) {
    const payload: Readonly<Record<string, unknown>> = { ...event.payload };
    acted ||= acts.has(event.type);
    switch (event.type as string) {
      case "session.start":
        work_order_id = textOf(payload["work_order_id"]);
        isChild = payload["parent_kind"] === "child";
        break;
      case "wo.started":
        started = {
          work_order: payload["work_order"],
          caller_id: textOf(payload["caller_id"]) ?? "",
          dev_mode: payload["dev_mode"] === true,
          path_authorizations: listOf(payload["path_authorizations"]),
          agent_class: textOf(payload["agent_class"]) ?? "",
          at: event.ts,
          is_child: isChild,
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
        writes.push(...outputsOf(payload));
        break;
      case "turn.quarantined":
        if (payload["action"] === "released") writes.push(...outputsOf(payload));
        break;
    }
  }
  return { session_id, work_order_id, acted, started, completed, accepted, writes };
}

/**
 * The outputs of a turn, and those that a person approved afterwards. A folder that was made only to hold another output is no
 * write of its own: the right to write the file includes its folder.
 */
function outputsOf(payload: Readonly<Record<string, unknown>>): readonly string[] {
  const outputs = Array.isArray(payload["outputs"]) ? (payload["outputs"] as readonly JsonObject[]) : [];
  const paths = outputs.flatMap(({ path }) => (typeof path === "string" ? [path] : []));
  const folders = new Set(outputs.filter(({ change }) => change === "folder").map(({ path }) => path));
  return paths.filter((path) => !folders.has(path) || !paths.some((other) => other.startsWith(`${path}/`)));
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function listOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each): each is string => typeof each === "string") : [];
}
