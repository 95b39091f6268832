import type { Depth, Lane, RowText, RowWords, TypedPayload } from "../../../src/log/event-kind.ts";
import { kindOf } from "../../../src/log/kind-of.ts";
import { eventKinds } from "../../../src/main/tables/events.ts";
import type { Event, EventType } from "../api/types.ts";
import { count } from "../ui/numbers.ts";
import { isRule } from "./denial.ts";

export type { Lane };

export interface Described extends RowText {
  readonly lane: Lane;
  readonly depth: Depth;
}

const words: RowWords = { count, plain, said: saidIn, isRule };

/** One line of a timeline. A type that a newer Writ wrote is still shown, with its payload. */
export function describe(event: Event): Described {
  const known = described.get(event);
  if (known) return known;
  const row = rowOf<EventType>(event);
  described.set(event, row);
  return row;
}

/** Events never change, and what models said is parsed for it: each is described once, not at every row that scrolls by. */
const described = new WeakMap<Event, Described>();

function rowOf<T extends EventType>({ type, payload }: TypedPayload<T>): Described {
  const row = kindOf(eventKinds, type)?.row;
  if (!row) return { lane: "flow", depth: 0, subject: type, text: plain(payload), quiet: true };
  const { lane, depth, text } = row;
  return { lane, depth: typeof depth === "function" ? depth(payload) : depth, ...text(payload, words) };
}

function plain(value: unknown): string {
  return (typeof value === "string" ? value : JSON.stringify(value)) ?? "";
}

/** Roles answer in JSON: what a reader wants of it first. */
function saidIn(text: string): string {
  if (!text.startsWith("{")) return text;
  try {
    const { intent, steps, verdict, feedback, output, findings } = JSON.parse(text) as Record<string, unknown>;
    if (typeof intent === "string") return intent;
    if (Array.isArray(steps))
      return `${counted(steps.length, "step")}: ${steps.map((step: { description?: string } | null) => step?.description ?? "").join("; ")}`;
    if (typeof verdict === "string") return typeof feedback === "string" ? `${verdict}: ${feedback}` : verdict;
    if (typeof output === "string") return output;
    if (Array.isArray(findings)) return findings.length === 0 ? "no findings" : counted(findings.length, "finding");
  } catch {
    return text; // it only looks like JSON
  }
  return text;
}

function counted(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? "" : "s"}`;
}
