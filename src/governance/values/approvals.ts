import { canonicalJson, type JsonObject, type JsonValue } from "#core/values";
import type { Event } from "#log";
import type { RecordedLabel } from "./recorded-label.ts";
import { folded } from "./words.ts";

/** An act as a person was asked about it. */
export interface AskedAct {
  readonly call_id: string;
  readonly tool: string;
  readonly args: JsonObject;
  readonly values: readonly RecordedLabel[];
  readonly rules_hash: string;
  /** Which of its values were doubtful. */
  readonly doubts: readonly { readonly at: string; readonly span?: readonly [number, number] }[];
}

interface Granted extends AskedAct {
  readonly approval_id: string;
}

/** Which of the acts a decision allows, by their place in the question. Of `some`, those whose numbers stand in its words. */
export function allowedActs(choice: string, words: string, count: number): ReadonlySet<number> {
  const all = Array.from({ length: count }, (_, index) => index);
  if (choice === "approve" || choice === "approve_values") return new Set(all);
  if (choice !== "some" || !/^[\s\d,;and.#]+$/.test(words)) return new Set();
  const named = new Set((words.match(/\d+/g) ?? []).map((number) => Number(number) - 1));
  return new Set(all.filter((index) => named.has(index)));
}

/**
 * What people allowed in a session: acts, each once and with exactly their arguments, labels and rules, and values that stay
 * allowed until the order ends.
 */
export class ValueApprovals {
  readonly #asked = new Map<
    string,
    { readonly hash: string; readonly acts: readonly AskedAct[]; readonly subject: JsonObject }
  >();
  readonly #granted = new Map<string, Granted[]>();
  readonly #values = new Map<string, string>();
  readonly #decided = new Set<string>();
  readonly #alone = new Set<string>();

  see(event: Event): void {
    if (event.type === "approval.requested" && event.payload.kind === "held_acts") this.#ask(event.payload);
    if (event.type === "approval.requested" && event.payload.kind === "tool_call") {
      const call_id = event.payload.subject?.["call_id"];
      if (typeof call_id === "string") this.#alone.add(call_id);
    }
    if (event.type === "approval.decided" && event.payload.kind === "held_acts") this.#decide(event.payload);
    if (event.type === "tool.invoke" && event.payload.attempt === 1)
      this.#granted.get(keyOf(event.payload.name, event.payload.args as JsonObject))?.shift();
  }

  /** The approval by which an act may happen; undefined where none covers it as it is now. */
  covers(act: Pick<AskedAct, "tool" | "args" | "values" | "rules_hash">): string | undefined {
    const [first] = this.#granted.get(keyOf(act.tool, act.args)) ?? [];
    return first?.rules_hash === act.rules_hash && isCovered(first.values, act.values) ? first.approval_id : undefined;
  }

  /** The approval of a value for the rest of the order. */
  ofValue(kind: string | undefined, text: string): string | undefined {
    return this.#values.get(`${kind ?? ""}\n${text}`);
  }

  /** The question that was put about these calls, as it was recorded. */
  askedAbout(call_ids: readonly string[]): JsonObject | undefined {
    return [...this.#asked.values()].find(({ acts }) => acts.every(({ call_id }) => call_ids.includes(call_id)))
      ?.subject;
  }

  /** Whether a question was put about this call and no other, as sessions did before acts were held back. */
  askedAlone(call_id: string): boolean {
    return this.#alone.has(call_id);
  }

  #ask({ approval_id, subject, subject_hash }: Event<"approval.requested">["payload"]): void {
    const { acts } = (subject ?? {}) as { readonly acts?: readonly AskedAct[] };
    if (acts) this.#asked.set(approval_id, { hash: subject_hash, acts, subject: subject as JsonObject });
  }

  #decide({ approval_id, subject_hash, choice, reason }: Event<"approval.decided">["payload"]): void {
    const asked = this.#asked.get(approval_id);
    // Recorded again after a crash it is still one decision.
    if (asked?.hash !== subject_hash || this.#decided.has(approval_id)) return;
    this.#decided.add(approval_id);
    const allowed = allowedActs(choice, reason, asked.acts.length);
    for (const act of asked.acts.filter((_, index) => allowed.has(index))) {
      const key = keyOf(act.tool, act.args);
      this.#granted.set(key, [...(this.#granted.get(key) ?? []), { ...act, approval_id }]);
      if (choice !== "approve_values") continue;
      for (const { kind, value } of doubtfulValues(act)) this.#values.set(`${kind ?? ""}\n${value}`, approval_id);
    }
  }
}

/** Origins may have been added since; none may be gone. A value that stood nowhere may have been read meanwhile. */
function isCovered(shown: readonly RecordedLabel[], now: readonly RecordedLabel[]): boolean {
  if (shown.length !== now.length) return false;
  return shown.every(({ at, sink, kind, from }, index) => {
    const label = now[index];
    if (!label || label.at !== at || label.sink !== sink || label.kind !== kind) return false;
    return from.every((origin) => origin === "model" || label.from.includes(origin));
  });
}

function doubtfulValues({
  args,
  values,
  doubts,
}: AskedAct): readonly { readonly kind?: string; readonly value: string }[] {
  return doubts.flatMap(({ at, span }) => {
    const label = values.find(
      (each) => each.at === at && canonicalJson(each.span ?? null) === canonicalJson(span ?? null),
    );
    const whole = valueAt(args, at);
    if (!label || whole === undefined || whole === null || typeof whole === "object") return [];
    const text = span ? String(whole).slice(span[0], span[1]) : String(whole);
    return [{ ...(label.kind === undefined ? {} : { kind: label.kind }), value: folded(text).trim() }];
  });
}

function valueAt(value: JsonValue, pointer: string): JsonValue | undefined {
  let here: JsonValue | undefined = value;
  for (const part of pointer.split("/").slice(1)) {
    if (typeof here !== "object" || here === null) return undefined;
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
    here = (here as JsonObject)[name];
  }
  return here;
}

function keyOf(tool: string, args: JsonObject): string {
  return `${tool} ${canonicalJson(args)}`;
}
