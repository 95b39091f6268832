import type { Event, EventType } from "#log";
import { ApprovedCalls } from "./approved-calls.ts";
import { AskedGates } from "./asked-gates.ts";
import { RecordedPath } from "./recorded-path.ts";
import { gradeNotes, type Note, type Violation, type ViolationKind } from "./violation.ts";

interface Open {
  readonly seq: number;
  readonly what: string;
}

/** Beginnings that wait for their end, by name, and what it is called when one is missing. */
interface Pairs {
  readonly kind: ViolationKind;
  readonly open: Map<string, Open>;
}

const pairs = (kind: ViolationKind): Pairs => ({ kind, open: new Map() });

/**
 * Whether a session's record is complete (seed 002, "Audit Completeness"): every request has its response, every tool
 * call its result and the decision that allowed it, every gate its decision, every transition goes on from the one
 * before, every refusal for a broken contract names what broke it. Judged when the session has closed; until then, what
 * is open may still be answered.
 */
export class Audit {
  readonly #violations: Violation[] = [];
  readonly #requests = pairs("audit_llm");
  readonly #calls = pairs("audit_tool");
  readonly #skills = pairs("audit_skill");
  readonly #workflows = pairs("audit_workflow");
  readonly #orders = pairs("audit_work_order");
  /** Decisions that let a tool run and have not been used yet, by tool. */
  readonly #permits = new Map<string, number>();
  /** Calls that were let through to a foreign program, by the request that they answer. */
  readonly #permitted = new Map<string, Set<string>>();
  readonly #approved = new ApprovedCalls();
  readonly #gates = new AskedGates();
  readonly #path = new RecordedPath();
  /** Violations that nothing has been refused for yet. */
  #broken = 0;

  add(event: Event): readonly Note[] {
    const unasked = this.#gates.add(event);
    if (unasked) this.#blame("audit_hook", event, unasked);
    const astray = this.#path.add(event);
    if (astray) this.#blame("audit_transition", event, astray);
    const heed = this.#heeds[event.type] as ((event: Event) => void) | undefined;
    heed?.(event);
    return gradeNotes(event);
  }

  /** What follows from each kind of event: something begins, or ends, or is allowed, or is refused. */
  readonly #heeds: { readonly [T in EventType]?: (event: Event<T>) => void } = {
    "llm.request": (event) => {
      const { request_id, role, dialect } = event.payload;
      this.#requests.open.set(request_id, at(event, `the ${role}'s request`));
      if (dialect !== undefined) this.#permitted.set(request_id, new Set());
    },
    "llm.response": (event) => {
      const { request_id, role } = event.payload;
      this.#checkPermits(event);
      const what = `the ${role}'s response answers a request (${request_id}) that is not recorded`;
      this.#end(this.#requests, request_id, event, what);
    },
    "foreign.permit": ({ payload }) => void this.#permitted.get(payload.request_id)?.add(payload.call_id),
    "llm.refused": ({ payload }) => void this.#requests.open.delete(payload.request_id),
    "hook.fired": (event) => this.#permit(event),
    "approval.requested": (event) => this.#approved.ask(event),
    "approval.decided": (event) => this.#approved.decide(event),
    "tool.invoke": (event) => this.#invoke(event),
    "tool.result": (event) => {
      const { call_id, attempt, name } = event.payload;
      const what = `the result of ${name} (${call_id}) has no call before it`;
      this.#end(this.#calls, `${call_id} ${attempt}`, event, what);
    },
    "schema.violation": () => void (this.#broken += 1),
    "tool.refused": (event) => this.#refuse(event, event.payload),
    "tool.output": (event) => {
      const { shown, name, error } = event.payload;
      if (!shown && error) this.#refuse(event, { name, code: error.code });
    },
    "skill.invoke": (event) => {
      const { skill } = event.payload;
      this.#skills.open.set(skill, at(event, `the skill ${skill}`));
    },
    "skill.complete": (event) => {
      const { skill } = event.payload;
      this.#end(this.#skills, skill, event, `the skill ${skill} completes without having begun`);
    },
    "workflow.started": (event) => {
      const { cycle_id } = event.payload;
      this.#workflows.open.set(cycle_id, at(event, `the cycle ${cycle_id}`));
    },
    "workflow.completed": (event) => this.#endCycle(event, event.payload.cycle_id),
    "workflow.aborted": (event) => this.#endCycle(event, event.payload.cycle_id),
    "wo.started": (event) => {
      const { work_order_id } = event.payload;
      this.#orders.open.set(work_order_id, at(event, `the work order ${work_order_id}`));
    },
    "wo.completed": (event) => this.#endOrder(event, event.payload.work_order_id),
    "wo.failed": (event) => this.#endOrder(event, event.payload.work_order_id),
    "wo.rejected": ({ payload }) => void this.#orders.open.delete(payload.work_order_id),
  };

  /** A foreign program acts by itself, so that each call in its answer has its permit before it. */
  #checkPermits(event: Event<"llm.response">): void {
    const { request_id, tool_calls = [] } = event.payload;
    const permitted = this.#permitted.get(request_id);
    if (!permitted) return;
    this.#permitted.delete(request_id);
    for (const { id, name } of tool_calls)
      if (!permitted.has(id.slice(0, 256)))
        this.#blame("audit_tool", event, `${name} (${id}) reached the program without a permit`);
  }

  #endCycle(event: Event, cycle_id: string): void {
    this.#end(this.#workflows, cycle_id, event, `the cycle ${cycle_id} ends without having begun`);
  }

  #endOrder(event: Event, work_order_id: string): void {
    const what = `the work order ${work_order_id} ends without having begun`;
    this.#end(this.#orders, work_order_id, event, what);
  }

  #end({ kind, open }: Pairs, name: string, event: Event, unbegun: string): void {
    if (!open.delete(name)) this.#blame(kind, event, unbegun);
  }

  /** What is missing, in the order in which it shows. */
  finish(): readonly Violation[] {
    const unanswered = ({ kind, open }: Pairs, lack: string) => {
      for (const { seq, what } of open.values())
        this.#violations.push({ kind, at: seq, where: "events", message: `${what} (event ${seq}) has ${lack}` });
    };
    unanswered(this.#requests, "no response");
    unanswered(this.#calls, "no result");
    unanswered(this.#skills, "no end");
    unanswered(this.#workflows, "no end");
    unanswered(this.#orders, "no outcome");
    return this.#violations.toSorted((a, b) => (a.at ?? 0) - (b.at ?? 0));
  }

  #permit({ payload }: Event<"hook.fired">): void {
    if (payload.point !== "PreToolUse" || payload.subject === undefined) return;
    if (payload.decision !== "allow" && payload.decision !== "transform") return;
    this.#permits.set(payload.subject, (this.#permits.get(payload.subject) ?? 0) + 1);
  }

  #invoke(event: Event<"tool.invoke">): void {
    const { call_id, attempt, name } = event.payload;
    this.#calls.open.set(`${call_id} ${attempt}`, at(event, `the call of ${name}`));
    if (attempt > 1) return; // the same call again under the same key and the same permit
    const permits = this.#permits.get(name) ?? 0;
    if (this.#approved.take(event)) return;
    if (permits === 0)
      this.#blame("audit_hook", event, `${name} (${call_id}) was called without a PreToolUse decision that allowed it`);
    else this.#permits.set(name, permits - 1);
  }

  /** Whatever is refused because a contract was broken has the violation before it. */
  #refuse(event: Event, { name, code }: { readonly name: string; readonly code: string }): void {
    if (code !== "SCHEMA_VIOLATION") return;
    if (this.#broken === 0)
      this.#blame("audit_schema", event, `${name} was refused for a broken contract, and no violation is recorded`);
    else this.#broken -= 1;
  }

  #blame(kind: ViolationKind, event: Event, message: string): void {
    this.#violations.push({ kind, at: event.seq, where: "events", message: `event ${event.seq}: ${message}` });
  }
}

function at(event: Event, what: string): Open {
  return { seq: event.seq, what };
}
