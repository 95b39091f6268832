import { escalatedReview } from "#agents";
import { isJsonObject, ok, type Result } from "#core/values";
import type { SurveyedTool, ToolApprovals } from "#effects";
import { changedTool } from "#effects";
import type { Event } from "#log";
import type { Inbox } from "#people";
import { gatedFinding } from "#workflows";
import { refusedActs } from "../approval-kinds/refused-acts.ts";
import type { FlowResult } from "../flow/execution-context.ts";
import { type ChangedTool, changedToolOf, isLeftToPeople } from "./questions-of-events.ts";

/** Watches one flow and, when it has stopped, puts its open questions for people into the inbox. */
export class WatchForPeople {
  readonly #inbox: Pick<Inbox, "ask">;
  readonly #tools: ToolApprovals;
  readonly #findings: Event<"workflow.finding_routed">[] = [];
  readonly #escalated: Event<"review.escalated">[] = [];
  readonly #changed = new Map<string, ChangedTool>();
  /** Its one call or program was chosen by the person who submitted it, not by an agent. */
  #isOwnAct = false;

  constructor(inbox: Pick<Inbox, "ask">, tools: ToolApprovals) {
    this.#inbox = inbox;
    this.#tools = tools;
  }

  see(event: Event): void {
    if (event.type === "wo.started") this.#isOwnAct = ["tool-call", "turn"].includes(String(orderTypeOf(event)));
    if (event.type === "workflow.finding_routed") this.#findings.push(event);
    if (event.type === "review.escalated") this.#escalated.push(event);
    if (isAskedReview(event)) this.#escalated.pop(); // the session itself has asked about it
    const changed = changedToolOf(event);
    if (changed) this.#changed.set(changed.tool, changed);
  }

  /** The result, with the error of a question that could not be stored. */
  async settle(result: FlowResult, author: string): Promise<FlowResult> {
    const asked = await this.#ask(author);
    const noted = asked.ok ? await this.#noteRefusedActs(result, author) : asked;
    if (noted.ok || result.error !== null) return result;
    return { ...result, error: noted.error.message, error_code: noted.error.code };
  }

  async #noteRefusedActs({ refused_acts = [], session_id }: FlowResult, author: string): Promise<Result<unknown>> {
    if (this.#isOwnAct || refused_acts.length === 0 || session_id == null) return ok(undefined);
    return this.#inbox.ask(refusedActs, { acts: refused_acts }, { author, session: null, session_id });
  }

  async #ask(author: string): Promise<Result<void>> {
    for (const { session_id, seq, payload } of this.#escalated) {
      const { feedback, reason, rework_count } = payload;
      const question = { feedback, reason, rework_count, seq };
      const asked = await this.#inbox.ask(escalatedReview, question, { author, session: null, session_id });
      if (!asked.ok) return asked;
    }
    for (const noted of this.#findings.filter(({ payload }) => isLeftToPeople(payload))) {
      const { session_id } = noted;
      const asked = await this.#inbox.ask(gatedFinding, { noted }, { author, session: null, session_id });
      if (!asked.ok) return asked;
    }
    for (const changed of this.#changed.values()) {
      const asked = await this.#askAboutTool(changed, author);
      if (!asked.ok) return asked;
    }
    return ok(undefined);
  }

  /** The question, and so the approval, is about the tool's current definition. */
  async #askAboutTool({ tool, session_id, reason }: ChangedTool, author: string): Promise<Result<unknown>> {
    const found = await findSurveyed(this.#tools, tool);
    if (!found?.offered) return ok(undefined); // the tool is gone, or is the approved one again
    const { server, name, offered } = found;
    const { hash, definition } = offered;
    const differences = JSON.parse(JSON.stringify(found.differences));
    const question = { server, name, hash, definition, differences, noticed_in: session_id, reason };
    return this.#inbox.ask(changedTool, question, { author, session: null });
  }
}

function orderTypeOf({ payload }: Event<"wo.started">): unknown {
  return isJsonObject(payload.work_order) ? payload.work_order["type"] : undefined;
}

function isAskedReview(event: Event): boolean {
  return event.type === "approval.requested" && event.payload.kind === escalatedReview.kind;
}

/** A server's tool by its name in Writ, if it needs a decision. */
async function findSurveyed(tools: ToolApprovals, name: string): Promise<SurveyedTool | undefined> {
  const surveys = await tools.survey(AbortSignal.timeout(20_000));
  return surveys.flatMap((survey) => survey.tools).find((each) => each.name === name && each.state !== "pinned");
}
