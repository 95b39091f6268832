import { ok, type Result } from "#base";
import type { Event } from "#events";
import type { FlowResult } from "#flow";
import type { ApprovalRequest, Inbox } from "#governance";
import type { SurveyedTool, ToolApprovals } from "../policy/tool-approvals.ts";
import { type ChangedTool, changedToolOf, questionOf } from "./questions-of-events.ts";

/** Watches one flow and, when it has stopped, puts what it left to people into the inbox. */
export class WatchForPeople {
  readonly #inbox: Inbox;
  readonly #tools: ToolApprovals;
  readonly #left: Event[] = [];
  readonly #escalated: Event[] = [];
  readonly #changed = new Map<string, ChangedTool>();

  constructor(inbox: Inbox, tools: ToolApprovals) {
    this.#inbox = inbox;
    this.#tools = tools;
  }

  see(event: Event): void {
    if (event.type === "workflow.finding_routed") this.#left.push(event);
    if (event.type === "review.escalated") this.#escalated.push(event);
    if (isAskedReview(event)) this.#escalated.pop(); // the session itself has asked about it
    const changed = changedToolOf(event);
    if (changed) this.#changed.set(changed.tool, changed);
  }

  /** The result, which also tells when somebody could not be asked. */
  async settle(result: FlowResult, author: string): Promise<FlowResult> {
    const asked = await this.#ask(author);
    if (asked.ok || result.error !== null) return result;
    return { ...result, error: asked.error.message, error_code: asked.error.code };
  }

  async #ask(author: string): Promise<Result<void>> {
    for (const event of [...this.#escalated, ...this.#left]) {
      const request = questionOf(event, author);
      const asked = request ? await this.#inbox.ask(request) : ok(undefined);
      if (!asked.ok) return asked;
    }
    for (const changed of this.#changed.values()) {
      const request = await this.#questionOfTool(changed, author);
      const asked = request ? await this.#inbox.ask(request) : ok(undefined);
      if (!asked.ok) return asked;
    }
    return ok(undefined);
  }

  /** The definition as it is now is what a person is asked about, and what their approval holds for. */
  async #questionOfTool(
    { tool, session_id, reason }: ChangedTool,
    author: string,
  ): Promise<ApprovalRequest | undefined> {
    const found = await findSurveyed(this.#tools, tool);
    if (!found?.offered) return undefined; // it is gone, or is what was approved after all
    const { server, name, offered, differences } = found;
    return {
      kind: "changed_tool",
      occasion: `${server} ${name} ${offered.hash}`,
      title: `${name} is no longer what was approved`,
      reason,
      author,
      subject: {
        name,
        server,
        hash: offered.hash,
        definition: offered.definition,
        differences: JSON.parse(JSON.stringify(differences)),
        noticed_in: session_id,
      },
    };
  }
}

function isAskedReview(event: Event): boolean {
  return event.type === "approval.requested" && event.payload.kind === "escalated_review";
}

/** A tool of a server by its name here, if its state asks for a decision. */
async function findSurveyed(tools: ToolApprovals, name: string): Promise<SurveyedTool | undefined> {
  const surveys = await tools.survey(AbortSignal.timeout(20_000));
  return surveys.flatMap((survey) => survey.tools).find((each) => each.name === name && each.state !== "pinned");
}
