import type { MandateV1 } from "#core/contracts";
import { type JsonObject, type JsonValue, zeroHash } from "#core/values";
import type { Event } from "#log";
import type { ValueRights } from "../../src/governance/values/declarations.ts";
import { type JudgedCall, judgeValues, type ValueJudgement } from "../../src/governance/values/judge-values.ts";
import { compileRules } from "../../src/governance/values/rules.ts";
import { ValueIndex } from "../../src/governance/values/value-index.ts";
import { mandateFor } from "./mandates.ts";

/** A session as its values are judged: events in, judgements out. Nothing is recorded. */
export class ValueSession {
  readonly events: Event[] = [];
  readonly index = new ValueIndex();
  readonly #rules;
  #calls = 0;

  constructor(prompt: string, rights: ValueRights, { isChild = false, scope = [] as readonly string[] } = {}) {
    const rules = compileRules(rights);
    if (!rules.ok) throw new Error(rules.error.message);
    this.#rules = rules.value;
    const { document } = mandateFor({ read: scope, write: scope });
    const mandate: MandateV1 = { ...document, values: { document: "framework FMWK-X", path: "values", rights } };
    this.see("session.start", { tier: "ho1", work_order_id: "WO-1", ...(isChild ? { parent_kind: "child" } : {}) });
    this.see("wo.started", { mandate, work_order: { input: { prompt } } });
  }

  see(type: string, payload: object): void {
    const id = `EV-${this.events.length + 1}`;
    const event = { id, seq: this.events.length + 1, type, payload, hash: zeroHash } as unknown as Event;
    this.events.push(event);
    this.index.see(event);
  }

  judge(tool: string, args: JsonObject, annotations: JudgedCall["annotations"] = {}): ValueJudgement | undefined {
    return judgeValues({ tool, args, annotations }, this.index, this.#rules);
  }

  /** Judges a call and records it as made, with what it returned. */
  call(
    { tool, args, annotations = {} }: Omit<JudgedCall, "annotations"> & Partial<Pick<JudgedCall, "annotations">>,
    result: JsonValue,
  ): ValueJudgement | undefined {
    const judged = this.judge(tool, args, annotations);
    this.#calls += 1;
    const call_id = `CALL-${this.#calls}`;
    const labels = judged
      ? {
          values: judged.values,
          verdict: judged.verdict,
          rules_hash: judged.rules_hash,
          ...(judged.rule ? { rule: judged.rule } : {}),
        }
      : {};
    this.see("tool.invoke", { call_id, name: tool, args, attempt: 1, ...labels });
    this.see("tool.output", { call_id, name: tool, shown: true, is_error: false, content: result });
    return judged;
  }
}
