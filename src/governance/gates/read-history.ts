import type { SchemaRegistry } from "#core/contracts";
import { type Clock, canonicalJson, type JsonObject, sha256 } from "#core/values";
import type { Event, LogReader, SessionInfo } from "#log";
import { createMandate, type Mandate } from "../mandate/mandate.ts";
import { type ReadableSet, readableSet } from "../mandate/readable-set.ts";
import { workspacePath } from "../paths/workspace-path.ts";
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
  { clock, schemas }: { readonly clock: Clock; readonly schemas: SchemaRegistry },
): Promise<readonly SessionFacts[]> {
  const sessions: SessionFacts[] = [];
  for await (const listed of log.list()) {
    if (!listed.ok) continue;
    const mark = listed.value.closed ? await markOf(log, listed.value, clock) : undefined;
    const known = memory.get(listed.value.session_id, mark);
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
    const facts = factsOf(listed.value.session_id, events, schemas);
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

function factsOf(session_id: string, events: readonly Event[], schemas: SchemaRegistry): SessionFacts {
  let work_order_id: string | null = null;
  let started: SessionFacts["started"] = null;
  let accepted: boolean | null = null;
  let completed = false;
  let acted = false;
  let isChild = false;
  const writes: string[] = [];
  const reads: string[] = [];
  const views: View[] = [];
  let mandate: Mandate | undefined;
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
        mandate = mandateIn(payload, schemas);
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
        reads.push(...pathsIn(payload["reads"]));
        if (payload["visible"])
          views.push({
            by: `the server of ${textOf(payload["name"]) ?? ""}`,
            visible: payload["visible"] as ReadableSet,
          });
        break;
      }
      case "attention.assembled":
        reads.push(...pathsIn(payload["reads"]));
        break;
      case "turn.started":
        if (payload["visible"])
          views.push({ by: `its turn ${String(payload["turn_number"])}`, visible: payload["visible"] as ReadableSet });
        break;
      case "turn.committed":
        writes.push(...outputsOf(payload));
        break;
      case "turn.quarantined":
        if (payload["action"] === "released") writes.push(...outputsOf(payload));
        break;
    }
  }
  const outside = mandate ? [...outsideOf(mandate, reads, writes), ...views.flatMap(sawMore(mandate))] : null;
  return { session_id, work_order_id, acted, started, completed, accepted, writes, reads, outside };
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

/** The mandate that a session recorded; undefined where there is none, or where redaction took some of its text. */
function mandateIn(payload: Readonly<Record<string, unknown>>, schemas: SchemaRegistry): Mandate | undefined {
  const recorded = schemas.validate("mandate_v1", payload["mandate"]);
  if (!recorded.ok || sha256(canonicalJson(recorded.value)) !== payload["mandate_hash"]) return undefined;
  // Schemas of arguments may have gone since; they say nothing about files.
  const mandate = createMandate({ ...recorded.value, permissions: [] }, schemas);
  return mandate.ok ? mandate.value : undefined;
}

function outsideOf(mandate: Mandate, reads: readonly string[], writes: readonly string[]): readonly string[] {
  const judged = (kind: "read" | "write", verb: string, paths: readonly string[]) =>
    [...new Set(paths)].flatMap((text) => {
      const path = workspacePath(text);
      const decision = mandate.decide({ kind, path: path.ok ? path.value : text });
      return decision.allowed ? [] : [`it ${verb} ${text}: ${decision.reason}`];
    });
  return [...judged("read", "read", reads), ...judged("write", "wrote", writes)];
}

/** What a program could see: of a turn, or of a server while it answered. */
interface View {
  readonly by: string;
  readonly visible: ReadableSet;
}

/** A program's view is narrow enough where every list of the mandate bounded it. */
function sawMore({ document }: Mandate): (view: View) => readonly string[] {
  const readable = readableSet(document);
  return ({ by, visible }) => {
    const lists = visible.read.map((list) => canonicalJson(list));
    const isBounded =
      readable.read.every((list) => lists.includes(canonicalJson(list))) &&
      readable.forbidden.every((pattern) => visible.forbidden.includes(pattern));
    return isBounded ? [] : [`${by} could see more than its mandate lets it read`];
  };
}

function pathsIn(list: unknown): readonly string[] {
  return Array.isArray(list)
    ? list.flatMap((each: { readonly path?: unknown } | null) => (typeof each?.path === "string" ? [each.path] : []))
    : [];
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function listOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each): each is string => typeof each === "string") : [];
}
