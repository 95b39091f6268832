import type { Event } from "../event.ts";
import { ApprovedCalls } from "./approved-calls.ts";
import { AskedGates } from "./asked-gates.ts";
import { ToldPath } from "./told-path.ts";
import type { Violation, ViolationKind } from "./violation.ts";

interface Open {
  readonly seq: number;
  readonly what: string;
}

/**
 * Whether a session's record is complete (seed 002, "Audit Completeness"): every request has its response, every tool
 * call its result and the decision that allowed it, every gate its decision, every transition goes on from the one
 * before, every refusal for a broken contract names what broke it. Judged when the session has closed; until then, what
 * is open may still be answered.
 */
export class Audit {
  readonly #violations: Violation[] = [];
  readonly #requests = new Map<string, Open>();
  readonly #calls = new Map<string, Open>();
  readonly #skills = new Map<string, Open>();
  readonly #workflows = new Map<string, Open>();
  readonly #orders = new Map<string, Open>();
  /** Decisions that let a tool run and have not been used yet, by tool. */
  readonly #permits = new Map<string, number>();
  readonly #approved = new ApprovedCalls();
  readonly #gates = new AskedGates();
  readonly #path = new ToldPath();
  /** Violations that nothing has been refused for yet. */
  #broken = 0;

  add(event: Event): void {
    const unasked = this.#gates.add(event);
    if (unasked) this.#blame("audit_hook", event, unasked);
    const astray = this.#path.add(event);
    if (astray) this.#blame("audit_transition", event, astray);
    switch (event.type) {
      case "llm.request":
        this.#requests.set(
          (event as Event<"llm.request">).payload.request_id,
          at(event, `the ${(event as Event<"llm.request">).payload.role}'s request`),
        );
        return;
      case "llm.response": {
        const { request_id, role } = (event as Event<"llm.response">).payload;
        if (!this.#requests.delete(request_id))
          this.#blame(
            "audit_llm",
            event,
            `the ${role}'s response answers a request (${request_id}) that is not recorded`,
          );
        return;
      }
      case "llm.refused":
        this.#requests.delete((event as Event<"llm.refused">).payload.request_id);
        return;
      case "hook.fired":
        this.#permit(event as Event<"hook.fired">);
        return;
      case "approval.requested":
        this.#approved.ask(event as Event<"approval.requested">);
        return;
      case "approval.decided":
        this.#approved.decide(event as Event<"approval.decided">);
        return;
      case "tool.invoke":
        this.#invoke(event as Event<"tool.invoke">);
        return;
      case "tool.result": {
        const { call_id, attempt, name } = (event as Event<"tool.result">).payload;
        if (!this.#calls.delete(`${call_id} ${attempt}`))
          this.#blame("audit_tool", event, `the result of ${name} (${call_id}) has no call before it`);
        return;
      }
      case "schema.violation":
        this.#broken += 1;
        return;
      case "tool.refused":
        this.#refuse(event, (event as Event<"tool.refused">).payload);
        return;
      case "tool.output": {
        const { shown, name, error } = (event as Event<"tool.output">).payload;
        if (!shown && error) this.#refuse(event, { name, code: error.code });
        return;
      }
      case "skill.invoke":
        this.#skills.set(
          (event as Event<"skill.invoke">).payload.skill,
          at(event, `the skill ${(event as Event<"skill.invoke">).payload.skill}`),
        );
        return;
      case "skill.complete": {
        const { skill } = (event as Event<"skill.complete">).payload;
        if (!this.#skills.delete(skill))
          this.#blame("audit_skill", event, `the skill ${skill} completes without having begun`);
        return;
      }
      case "workflow.started":
        this.#workflows.set(
          (event as Event<"workflow.started">).payload.cycle_id,
          at(event, `the cycle ${(event as Event<"workflow.started">).payload.cycle_id}`),
        );
        return;
      case "workflow.completed":
      case "workflow.aborted": {
        const { cycle_id } = (event as Event<"workflow.completed">).payload;
        if (!this.#workflows.delete(cycle_id))
          this.#blame("audit_workflow", event, `the cycle ${cycle_id} ends without having begun`);
        return;
      }
      case "wo.started":
        this.#orders.set(
          (event as Event<"wo.started">).payload.work_order_id,
          at(event, `the work order ${(event as Event<"wo.started">).payload.work_order_id}`),
        );
        return;
      case "wo.completed":
      case "wo.failed": {
        const { work_order_id } = (event as Event<"wo.completed">).payload;
        if (!this.#orders.delete(work_order_id))
          this.#blame("audit_work_order", event, `the work order ${work_order_id} ends without having begun`);
        return;
      }
      case "wo.rejected":
        this.#orders.delete((event as Event<"wo.rejected">).payload.work_order_id);
        return;
      default:
        return;
    }
  }

  /** What is missing, in the order in which it shows. */
  finish(): readonly Violation[] {
    const unanswered = (kind: ViolationKind, open: ReadonlyMap<string, Open>, lack: string) => {
      for (const { seq, what } of open.values())
        this.#violations.push({ kind, at: seq, where: "events", message: `${what} (event ${seq}) has ${lack}` });
    };
    unanswered("audit_llm", this.#requests, "no response");
    unanswered("audit_tool", this.#calls, "no result");
    unanswered("audit_skill", this.#skills, "no end");
    unanswered("audit_workflow", this.#workflows, "no end");
    unanswered("audit_work_order", this.#orders, "no outcome");
    return this.#violations.toSorted((a, b) => (a.at ?? 0) - (b.at ?? 0));
  }

  #permit({ payload }: Event<"hook.fired">): void {
    if (payload.point !== "PreToolUse" || payload.subject === undefined) return;
    if (payload.decision !== "allow" && payload.decision !== "transform") return;
    this.#permits.set(payload.subject, (this.#permits.get(payload.subject) ?? 0) + 1);
  }

  #invoke(event: Event<"tool.invoke">): void {
    const { call_id, attempt, name } = event.payload;
    this.#calls.set(`${call_id} ${attempt}`, at(event, `the call of ${name}`));
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
