import type { MandateV1 } from "#core/contracts";
import { type JsonObject, type JsonValue, zeroHash } from "#core/values";
import type { Event } from "#log";
import type { ValueRights } from "../../src/governance/values/declarations.ts";
import { type JudgedCall, judgeValues, type ValueJudgement } from "../../src/governance/values/judge-values.ts";
import { compileRules, type ValueLaw } from "../../src/governance/values/rules.ts";
import { ValueIndex } from "../../src/governance/values/value-index.ts";
import { mandateFor } from "./mandates.ts";

interface Place {
  /** The session that hands its order down. */
  readonly under?: ValueSession;
  /** The session whose conversation it goes on with. */
  readonly after?: ValueSession;
  /** The session that it is forked from; the events of that one up to there are to be repeated by the test. */
  readonly forkOf?: ValueSession;
  readonly scope?: readonly string[];
  /** Policies and added rules of its mandate. */
  readonly permissions?: readonly object[];
  readonly law?: Pick<ValueLaw, "packs" | "added">;
}

const sessions = new Map<string, ValueSession>();

/** The record of a session that another one rests on. */
export function recordOf(session_id: string): readonly Event[] | undefined {
  return sessions.get(session_id)?.events;
}

/** A session as its values are judged: events in, judgements out. Nothing is recorded on disk. */
export class ValueSession {
  readonly session_id = `SES-20261119-${String(sessions.size + 1).padStart(20, "0")}`;
  readonly prompt: string;
  readonly place: Place;
  readonly events: Event[] = [];
  readonly index = new ValueIndex();
  readonly #rules;
  readonly #under: ValueSession | undefined;
  #calls = 0;

  constructor(prompt: string, rights: ValueRights, place: Place = {}) {
    this.prompt = prompt;
    this.place = place;
    const { under, after, forkOf, scope = [], law = {}, permissions } = place;
    sessions.set(this.session_id, this);
    const rules = compileRules({ rights, ...law });
    if (!rules.ok) throw new Error(rules.error.message);
    this.#rules = rules.value;
    this.#under = under;
    const { document } = mandateFor({ read: scope, write: scope });
    const permitted = permissions ? { permissions: permissions as MandateV1["permissions"] } : {};
    const mandate: MandateV1 = {
      ...document,
      ...permitted,
      values: { document: "framework FMWK-X", path: "values", rights, ...law },
    };
    under?.see("delegation.made", { child_session_id: this.session_id });
    this.see("session.start", {
      tier: "ho1",
      work_order_id: "WO-1",
      ...(under ? { parent_kind: "child", parent_session_id: under.session_id } : {}),
      ...(forkOf ? { parent_kind: "fork", parent_session_id: forkOf.session_id } : {}),
      ...(after ? { continues: after.session_id } : {}),
    });
    this.see("wo.started", { mandate, work_order: { input: { prompt } } });
  }

  /** Its order has ended: the one above goes on with what it answered. */
  end(): void {
    this.#under?.see("delegation.ended", { child_session_id: this.session_id, status: "success" });
  }

  see(type: string, payload: object): void {
    const id = `EV-${this.events.length + 1}`;
    const event = {
      id,
      seq: this.events.length + 1,
      session_id: this.session_id,
      type,
      payload,
      hash: zeroHash,
    } as unknown as Event;
    this.events.push(event);
    this.index.see(event);
  }

  judge(tool: string, args: JsonObject, annotations: JudgedCall["annotations"] = {}): ValueJudgement | undefined {
    for (let wanted = this.index.wants; wanted !== undefined; wanted = this.index.wants)
      this.index.give(wanted, recordOf(wanted));
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
