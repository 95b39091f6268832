import { type Caller, err, ok, type Result } from "#core/values";
import type { Approval, CarryOut, Inbox } from "#people";
import { type ChangedToolParts, changedTool } from "../approval-kinds/changed-tool.ts";
import type { SurveyedTool, ToolApprovals } from "./tool-approvals.ts";

interface Sources {
  readonly inbox: Inbox;
  readonly tools: ToolApprovals;
}

interface DecisionSources {
  readonly inbox: Inbox;
  readonly tools: Pick<ToolApprovals, "approvedHash" | "survey" | "approve">;
}

/** A tool as an open approval names it. */
interface Named {
  readonly server: string;
  readonly name: string;
}

/** Number of open approvals that are searched for a tool, newest first; older ones are superseded when they are answered. */
const questionsAtMost = 1000;

/** Effects of a decision on a changed tool. */
export function changedToolParts({ inbox, tools }: DecisionSources): ChangedToolParts {
  const isApproved = async (approval: Approval): Promise<Result<boolean>> => {
    const { server, name } = namedIn(approval);
    const approved = await tools.approvedHash(server, name);
    return approved.ok ? ok(approved.value === approval.subject["hash"]) : approved;
  };
  return {
    changedTools: {
      async isStillOpen({ approval, choice }) {
        const approved = await isApproved(approval);
        if (!approved.ok) return approved;
        if (choice === "approve" || !approved.value) return ok({ state: "open" });
        const { name } = namedIn(approval);
        return ok({
          state: "gone",
          why: `${name} has been approved as it is`,
          hint: `\`writ tool revoke ${name}\` takes that back`,
        });
      },
      async approve({ approval, by }) {
        const tool = namedIn(approval);
        const approved = await isApproved(approval);
        if (!approved.ok) return approved;
        if (approved.value) return ok(() => closeOthers(inbox, [tool], by, approval.approval_id));
        const [survey] = await tools.survey(AbortSignal.timeout(20_000), [tool.server]);
        if (survey?.error) return err(survey.error);
        const found = survey?.tools.find(({ name }) => name === tool.name);
        if (found?.problem) return err(found.problem);
        if (!found || found.offered?.hash !== approval.subject["hash"])
          return ok({
            state: "gone",
            why: `${tool.name} has changed again since it was shown`,
            hint: `\`writ tool approve ${tool.name}\` shows what it is now`,
          });
        return ok(async () => {
          const done = await tools.approve([found], by.id);
          if (!done.ok) return { state: "failed", error: done };
          return closeOthers(inbox, [tool], by, approval.approval_id);
        });
      },
    },
  };
}

/**
 * An approval from outside the inbox also answers the open question there about the same definition: left open, the question
 * could get the opposite answer. A caller who may not answer it may not approve here either.
 */
export function answeringInbox({ inbox, tools }: Sources, localCaller: () => Result<Caller>): ToolApprovals {
  return {
    ...tools,
    async approve(chosen) {
      const open = await openQuestions(inbox, chosen);
      if (!open.ok) return open;
      if (open.value.length === 0) return tools.approve(chosen);
      const asked = chosen.flatMap((tool) => {
        const question = open.value.find((each) => isAbout(each, tool) && each.subject["hash"] === tool.offered?.hash);
        return question && !tool.problem ? [{ tool, question }] : [];
      });
      const by = localCaller();
      if (!by.ok) return by;
      for (const { tool, question } of asked) {
        const { approval_id, subject_hash } = question;
        const decision = { choice: "approve", subject_hash, reason: "said with `writ tool approve`" };
        const decided = await inbox.decide(by.value, approval_id, decision, async () => ok(() => carry(tools, [tool])));
        if (!decided.ok) return decided;
      }
      const rest = await tools.approve(chosen.filter((tool) => !asked.some((each) => each.tool === tool)));
      if (!rest.ok) return rest;
      const closed = await closeOthers(inbox, chosen, by.value);
      return closed.state === "done" ? ok(undefined) : closed.error;
    },
  };
}

async function carry(tools: ToolApprovals, chosen: readonly SurveyedTool[]): ReturnType<CarryOut> {
  const done = await tools.approve(chosen);
  return done.ok ? { state: "done" } : { state: "failed", error: done };
}

/** Closes other questions about these tools: about the same definition, or about one that is no longer offered. */
async function closeOthers(
  inbox: Inbox,
  settled: readonly Named[],
  by: Caller,
  answered?: string,
): ReturnType<CarryOut> {
  const open = await openQuestions(inbox, settled);
  if (!open.ok) return { state: "failed", error: open };
  for (const question of open.value) {
    const { approval_id, choice } = question;
    // A pending decision stays: repeating it finds out whether it took effect.
    if (approval_id === answered || choice !== null) continue;
    const why = `${namedIn(question).name} was approved${answered === undefined ? "" : ` with ${answered}`} as it is now`;
    const closed = await inbox.supersede(approval_id, by.id, why);
    if (!closed.ok) return { state: "failed", error: closed };
  }
  return { state: "done" };
}

async function openQuestions(inbox: Inbox, about: readonly Named[]): Promise<Result<readonly Approval[]>> {
  const open = await inbox.list({ state: "open", limit: questionsAtMost });
  if (!open.ok) return open;
  return ok(open.value.filter((each) => about.some((tool) => isAbout(each, tool))));
}

function isAbout(approval: Approval, { server, name }: Named): boolean {
  const asked = namedIn(approval);
  return approval.kind === changedTool.kind && asked.server === server && asked.name === name;
}

function namedIn({ subject }: Approval): Named {
  const { server, name } = subject;
  return { server: typeof server === "string" ? server : "", name: typeof name === "string" ? name : "" };
}
