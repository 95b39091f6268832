import { canonicalJson, type JsonObject, type JsonValue } from "#core/values";
import type { Event } from "#log";
import { staysInWorkspace } from "./declarations.ts";
import { type JudgedCall, judgeValues, type ValueJudgement } from "./judge-values.ts";
import { compileRules, type ValueRules } from "./rules.ts";
import { ValueIndex } from "./value-index.ts";

type Recorded = Pick<Event<"tool.invoke">["payload"], "name" | "values" | "verdict" | "rules_hash" | "shadow">;

/** What a tool says of itself is not in the record of its calls: a label is right if it is right for one of these. */
const saidOfItself: readonly JudgedCall["annotations"][] = [
  { readOnly: false, destructive: false },
  { readOnly: false, destructive: true },
  { readOnly: false, destructive: false, confined: true },
  { readOnly: false, destructive: true, confined: true },
  { readOnly: true },
];

/** Judges the acts of a session again, from its events alone, and compares what comes out with what was recorded. */
export class LabelCheck {
  readonly #index = new ValueIndex();
  #rules: ValueRules | undefined;

  /** What differs; undefined when nothing does. */
  add(event: Event): string | undefined {
    const isFirst = event.type === "tool.invoke" && event.payload.attempt === 1;
    const problem = isFirst ? this.#compare(event.payload, event.payload.args as JsonObject) : undefined;
    this.#index.see(event);
    return problem;
  }

  /** A session on which this one rests, and whose events are needed for what follows. */
  get wants(): string | undefined {
    return this.#index.wants;
  }

  give(session_id: string, events: readonly Event[] | undefined): void {
    this.#index.give(session_id, events);
  }

  #compare(recorded: Recorded, args: JsonObject): string | undefined {
    const { name, verdict, values } = recorded;
    if (verdict === undefined && values === undefined) return undefined;
    const { law } = this.#index;
    if (law === undefined) return `${name} was judged by its values, and its order does not say that values are judged`;
    // Without the sessions on which it rests, as in an export, its labels cannot be found again.
    if (this.#index.wants !== undefined || this.#index.lack !== undefined) return undefined;
    if (!this.#rules) {
      const compiled = compileRules(law);
      if (!compiled.ok) return `${name} was judged by rules that do not compile: ${compiled.error.message}`;
      this.#rules = compiled.value;
    }
    const rules = this.#rules;
    const now = saidOfItself.map((annotations) => judgeValues({ tool: name, args, annotations }, this.#index, rules));
    // Before readings of Writ's own were left out, a link in their arguments was judged.
    if (staysInWorkspace(name) && now.every((judged) => judged === undefined)) return undefined;
    if (now.some((judged) => judged !== undefined && isSame(judged, recorded))) return undefined;
    return `the values of ${name} are recorded as ${inWords(recorded)}; its events say ${inWords(now[0])}`;
  }
}

/** A verdict of other rules than this Writ has cannot be judged again; its labels can. */
function isSame(judged: ValueJudgement, recorded: Recorded): boolean {
  if (canonicalJson(plain(judged.values)) !== canonicalJson(recorded.values ?? [])) return false;
  if (judged.rules_hash !== recorded.rules_hash) return true;
  return judged.verdict === recorded.verdict && isSameShadow(judged, recorded);
}

function isSameShadow({ shadow = [] }: ValueJudgement, recorded: Recorded): boolean {
  const verdicts = (of: readonly { readonly policy_id: string; readonly verdict: string }[]) =>
    of.map(({ policy_id, verdict }) => `${policy_id} ${verdict}`).join();
  return verdicts(shadow) === verdicts(recorded.shadow ?? []);
}

function plain(values: ValueJudgement["values"]): JsonValue {
  return JSON.parse(JSON.stringify(values)) as JsonValue;
}

function inWords(judged: { readonly verdict?: string; readonly values?: readonly object[] } | undefined): string {
  const values = (judged?.values ?? []) as readonly { readonly at: string; readonly from: readonly string[] }[];
  return `${values.map(({ at, from }) => `${at} from ${from.join(", ")}`).join("; ") || "none"} (${judged?.verdict ?? "no act"})`;
}
