import { isJsonObject, type JsonObject, type JsonValue } from "#core/values";
import type { Envelope } from "#log";

/** Version of the fold. A checkpoint of another version is ignored. */
export const foldRules = "memory-1";

/** Summary of a session. Its size is bounded: it does not grow with the session. */
export interface MemoryState {
  readonly session_id: string;
  readonly tier: string | null;
  readonly work_order_id: string | null;
  readonly started_at: string;
  readonly last_at: string;
  readonly entries: number;
  /** Number of events by type. */
  readonly counts: Readonly<Record<string, number>>;
  /** The mandate, as the agent got it. */
  readonly objective: string;
  /** The latest noteworthy events, oldest first. */
  readonly recent: readonly MemoryNote[];
  /** How it ended; null while it is open. */
  readonly ended: string | null;
}

export interface MemoryNote {
  readonly seq: number;
  readonly ts: string;
  readonly type: string;
  readonly text: string;
}

const keptNotes = 48;
const noteChars = 400;

export const nothingYet: MemoryState = {
  session_id: "",
  tier: null,
  work_order_id: null,
  started_at: "",
  last_at: "",
  entries: 0,
  counts: {},
  objective: "",
  recent: [],
  ended: null,
};

/** The state after one more event. Pure: the same events give the same state. Texts of events are stored and never acted on. */
export function remember(state: MemoryState, event: Envelope): MemoryState {
  const note = noteOf(event);
  const recent = note === undefined ? state.recent : [...state.recent, note].slice(-keptNotes);
  const next = {
    ...state,
    session_id: event.session_id,
    started_at: state.started_at || event.ts,
    last_at: event.ts,
    entries: state.entries + 1,
    counts: { ...state.counts, [event.type]: (state.counts[event.type] ?? 0) + 1 },
    recent,
  };
  const { payload } = event;
  if (event.type === "session.start")
    return { ...next, tier: textOf(payload, "tier") ?? null, work_order_id: textOf(payload, "work_order_id") ?? null };
  if (event.type === "wo.started") return { ...next, objective: cut(promptOf(payload)) };
  if (event.type === "session.close") return { ...next, ended: textOf(payload, "status") ?? "closed" };
  return next;
}

/** By event type, the fields that say what happened. Other types are only counted. */
const notedFields: Readonly<Record<string, readonly string[]>> = {
  "lead.directive": ["directive"],
  "plan.made": ["plan"],
  "worker.report": ["output"],
  "review.result": ["verdict", "feedback"],
  "llm.response": ["text"],
  "tool.result": ["name", "status", "error"],
  "wo.completed": ["output", "verdict"],
  "wo.failed": ["outcome"],
  "session.halted": ["reason"],
  "context.compacted": ["summary"],
  "turn.committed": ["turn_id", "outputs"],
  "turn.failed": ["turn_id", "error"],
  "turn.quarantined": ["turn_id", "error"],
};

function noteOf(event: Envelope): MemoryNote | undefined {
  const fields = Object.hasOwn(notedFields, event.type) ? notedFields[event.type] : undefined;
  if (!fields) return undefined;
  const text = fields
    .map((field) => said(event.payload[field]))
    .filter((part) => part !== "")
    .join(" | ");
  return text === "" ? undefined : { seq: event.seq, ts: event.ts, type: event.type, text: cut(text) };
}

function said(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function promptOf(payload: JsonObject): string {
  const order = payload["work_order"];
  const input = isJsonObject(order) ? order["input"] : undefined;
  const prompt = isJsonObject(input) ? input["prompt"] : undefined;
  return typeof prompt === "string" ? prompt : "";
}

function textOf(payload: JsonObject, field: string): string | undefined {
  const value = payload[field];
  return typeof value === "string" ? value : undefined;
}

function cut(text: string): string {
  return text.length <= noteChars ? text : `${text.slice(0, noteChars - 1).toWellFormed()}…`;
}
