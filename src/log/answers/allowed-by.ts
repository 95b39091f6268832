import { type Event } from "../event.ts";
import { isEvent } from "../narrow-event.ts";
import { Gathered, type Listed } from "./gathered.ts";

/** A rule or a person that had a say, with the event where it first did. */
export interface AllowedBy {
  readonly seq: number;
  readonly kind: "order" | "framework" | "skill" | "right" | "hook" | "policy" | "values" | "person";
  /** The name of the rule: of a policy with the place of its rule, such as `reviewers-only-read[0]`. */
  readonly rule: string;
  /** File, file with line, or document with clause; null where the record does not say. */
  readonly where: string | null;
  readonly decision: string;
  readonly about: string | null;
  /** Only watched: it changed nothing. */
  readonly shadow: boolean;
  readonly times: number;
}

/** What a point says at which no hook is registered. */
const noHandler = "none";

/** Who and what allowed or refused: the order, its framework and skills, its rights as they were used, gates, people. */
export class AllowedByFold {
  readonly #rules = new Gathered<AllowedBy>();
  readonly #rights = new Map<string, string>();

  add(event: Event): void {
    const { seq } = event;
    if (isEvent(event, "wo.started")) {
      const { work_order_id, framework_id, caller_id, mandate } = event.payload;
      for (const { document, path, tool } of mandate?.permissions ?? []) this.#rights.set(path, `${document}\n${tool}`);
      this.#add(seq, { kind: "order", rule: work_order_id, decision: "grant", about: caller_id });
      this.#add(seq, { kind: "framework", rule: framework_id, decision: "grant" });
    } else if (isEvent(event, "skill.invoke")) {
      const { skill, source, allowed_tools } = event.payload;
      this.#add(seq, { kind: "skill", rule: skill, where: source, decision: "grant", about: allowed_tools.join(", ") });
    } else if (isEvent(event, "tool.invoke")) {
      const { name, charged = [], verdict, rule, shadow = [] } = event.payload;
      for (const path of charged.slice(0, 1)) this.#right(seq, name, path);
      if (verdict !== undefined)
        this.#add(seq, { kind: "values", rule: rule ?? "values", decision: verdict, about: name });
      for (const each of shadow) this.#watched(seq, name, each);
    } else if (isEvent(event, "tool.refused")) this.#refused(event);
    else if (isEvent(event, "hook.fired")) {
      const { point, handler, decision, subject } = event.payload;
      const about = subject === undefined ? point : `${point} ${subject}`;
      const where = handler.includes("/") ? handler : null;
      // To end a loop is what that point is for: no call is denied by it.
      const said = point === "Stop" && decision === "deny" ? "ends" : decision;
      if (handler !== "" && handler !== noHandler)
        this.#add(seq, { kind: "hook", rule: handler, where, decision: said, about });
    } else if (isEvent(event, "workflow.policy_gated")) {
      const { policy_id, rule, decision, subject, phase, shadow = false } = event.payload;
      const name = rule === undefined ? policy_id : `${policy_id}[${rule}]`;
      this.#add(seq, { kind: "policy", rule: name, decision, about: subject ?? phase ?? null, shadow });
    } else if (isEvent(event, "approval.decided")) {
      const { by, choice, kind } = event.payload;
      this.#add(seq, { kind: "person", rule: by, decision: choice, about: kind.replaceAll("_", " ") });
    }
  }

  list(): Listed<AllowedBy> {
    return this.#rules.list();
  }

  #right(seq: number, name: string, path: string): void {
    const [document = null] = this.#rights.get(path)?.split("\n") ?? [];
    const where = document === null ? path : `${document}: ${path}`;
    this.#add(seq, { kind: "right", rule: name, where, decision: "allow", about: null });
  }

  #watched(seq: number, about: string, said: NonNullable<Event<"tool.invoke">["payload"]["shadow"]>[number]): void {
    const { policy_id, verdict: decision, rule: place } = said;
    const rule = place === undefined ? policy_id : `${policy_id}[${place}]`;
    this.#add(seq, { kind: "values", rule, decision, about, shadow: true });
  }

  #refused({ seq, payload }: Event<"tool.refused">): void {
    const { name, code, rule, verdict, clauses = [], shadow = [] } = payload;
    const [clause] = clauses;
    if (verdict !== undefined)
      this.#add(seq, { kind: "values", rule: rule ?? "values", decision: verdict, about: name });
    else {
      const where = clause ? `${clause.document}: ${clause.path}` : null;
      this.#add(seq, { kind: "right", rule: name, where, decision: "deny", about: code });
    }
    for (const each of shadow) this.#watched(seq, name, each);
  }

  #add(
    seq: number,
    said: Pick<AllowedBy, "kind" | "rule" | "decision"> & Partial<Pick<AllowedBy, "where" | "about" | "shadow">>,
  ): void {
    const { kind, rule, decision, where = null, about = null, shadow = false } = said;
    this.#rules.add([kind, rule, where, decision, about, shadow], (before) =>
      before ? { ...before, times: before.times + 1 } : { seq, kind, rule, where, decision, about, shadow, times: 1 },
    );
  }
}
