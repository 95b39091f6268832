import type { JsonObject, Result } from "#core/values";
import { ok } from "#core/values";
import type { Event } from "#log";
import { explainDoubts } from "./explain-doubts.ts";
import { judgeValues, type ToolNature } from "./judge-values.ts";
import { compileRules, type RuleDecision, type ValueRules } from "./rules.ts";
import { ValueIndex } from "./value-index.ts";
import type { ValuePolicy } from "./value-policy.ts";

/** A call of a recorded session, judged by other rules than it was. */
export interface RejudgedCall {
  readonly seq: number;
  readonly ts: string;
  readonly call_id: string;
  readonly args_hash: string | null;
  readonly tool: string;
  /** Null: its values were not judged. */
  readonly recorded: { readonly decision: string; readonly rule: string | undefined; readonly reason: string } | null;
  readonly now: Pick<RuleDecision, "verdict" | "rule"> & { readonly reason: string };
}

interface RejudgeSources {
  readonly pack: ValuePolicy;
  /** What is known of a tool that is registered here; a tool that is not counts as one that acts. */
  readonly natureOf: (tool: string, args: JsonObject) => ToolNature;
}

/**
 * Judges the calls of a recorded session again as if its framework had named this pack. Everything else of the mandate stays:
 * what is declared of tools, the framework's own rules, what orders added.
 */
export class Rejudge {
  readonly #sources: RejudgeSources;
  readonly #index = new ValueIndex();
  /** Arguments as the model gave them: the record of a refused call has only their hash. */
  readonly #asked = new Map<string, JsonObject>();
  #rules: ValueRules | undefined;
  #wasJudged = false;

  constructor(sources: RejudgeSources) {
    this.#sources = sources;
  }

  /** A session on which this one rests, and whose events are needed before the next. */
  get wants(): string | undefined {
    return this.#index.wants;
  }

  give(session_id: string, events: readonly Event[] | undefined): void {
    this.#index.give(session_id, events);
  }

  add(event: Event): Result<RejudgedCall | undefined> {
    if (event.type === "wo.started") return this.#begin(event);
    if (event.type === "llm.response")
      for (const { id, args } of event.payload.tool_calls ?? []) this.#asked.set(id, args as JsonObject);
    const judged = this.#judge(event);
    this.#index.see(event);
    return ok(judged);
  }

  #begin(event: Event<"wo.started">): Result<undefined> {
    const { mandate } = event.payload;
    this.#wasJudged = mandate?.values !== undefined && mandate.values.rights.pack !== "off";
    const { pack } = this.#sources;
    if (mandate === undefined) return ok(undefined);
    const recorded = mandate.values;
    const values = {
      document: recorded?.document ?? "the candidate",
      path: recorded?.path ?? "",
      rights: { ...recorded?.rights, pack: pack.id, shadow: [] },
      packs: [pack],
      ...(recorded?.added ? { added: recorded.added } : {}),
      ...(recorded?.approved ? { approved: recorded.approved } : {}),
    };
    const rules = compileRules(values);
    if (!rules.ok) return rules;
    this.#rules = rules.value;
    this.#index.see({ ...event, payload: { ...event.payload, mandate: { ...mandate, values } } });
    return ok(undefined);
  }

  #judge(event: Event): RejudgedCall | undefined {
    const call = this.#callOf(event);
    if (!call || !this.#rules) return undefined;
    const { payload, args, recorded } = call;
    const judged = judgeValues(
      { tool: payload.name, args, annotations: this.#sources.natureOf(payload.name, args) },
      this.#index,
      this.#rules,
    );
    if (!judged) return undefined;
    const { verdict, rule, doubts, reason } = judged;
    const explained = doubts.length === 0 ? reason : explainDoubts(doubts, this.#index);
    return {
      seq: event.seq,
      ts: event.ts,
      call_id: payload.call_id,
      args_hash: payload.args_hash ?? null,
      tool: payload.name,
      recorded,
      now: { verdict, reason: explained, ...(rule === undefined ? {} : { rule }) },
    };
  }

  /** A call that was judged: whether it ran or not. Where nothing was, every call that ran. */
  #callOf(event: Event) {
    if (event.type === "tool.invoke" && event.payload.attempt === 1) {
      const { payload } = event;
      if (this.#wasJudged && payload.verdict === undefined) return undefined;
      const { verdict, rule } = payload;
      const recorded = verdict === undefined ? null : { decision: verdict, rule, reason: "it ran" };
      return { payload, args: payload.args as JsonObject, recorded };
    }
    if (event.type === "tool.refused" && event.payload.verdict !== undefined) {
      const { payload } = event;
      const args = this.#asked.get(payload.call_id);
      const { verdict = "deny", rule, reason } = payload;
      return args && { payload, args, recorded: { decision: verdict, rule, reason } };
    }
    return undefined;
  }
}
