import { type Caller, domainError, err, ok, type Result } from "#base";
import type { Approval, CarryOut, Consequence, Inbox } from "#governance";
import type { SurveyedTool, ToolApprovals } from "../policy/tool-approvals.ts";

interface Sources {
  readonly inbox: Inbox;
  readonly tools: ToolApprovals;
}

/** A tool as a question names it. */
interface Named {
  readonly server: string;
  readonly name: string;
}

/** The newest that are looked through for a tool; older ones are told as stale when somebody answers them. */
const questionsAtMost = 1000;

/** What somebody says of a changed tool holds for the definition they were shown, if it is still the one that is offered. */
export function changedTool({ inbox, tools }: Sources): Consequence {
  return async (approval, choice, by) => {
    const tool = namedIn(approval);
    const stale = async (why: string, hint: string): Promise<Result<CarryOut>> => {
      const closed = await inbox.supersede(approval.approval_id, by.id, why);
      return closed.ok ? err(domainError("WRITE_CONFLICT", why, { retryable: false, details: { hint } })) : closed;
    };
    const approved = await tools.approvedHash(tool.server, tool.name);
    if (!approved.ok) return approved;
    const isApproved = approved.value === approval.subject["hash"];
    if (choice !== "approve")
      return isApproved
        ? stale(`${tool.name} has been approved as it is`, `\`writ tool revoke ${tool.name}\` takes that back`)
        : ok(async () => ({ state: "done" }));
    if (isApproved) return ok(() => closeOthers({ inbox, tools }, [tool], by, approval.approval_id));
    const [survey] = await tools.survey(AbortSignal.timeout(20_000), [tool.server]);
    if (survey?.error) return err(survey.error);
    const found = survey?.tools.find(({ name }) => name === tool.name);
    if (found?.problem) return err(found.problem);
    if (!found || found.offered?.hash !== approval.subject["hash"])
      return stale(
        `${tool.name} has changed again since it was shown`,
        `\`writ tool approve ${tool.name}\` shows what it is now`,
      );
    return ok(async () => {
      const done = await tools.approve([found], by.id);
      if (!done.ok) return { state: "failed", error: done };
      return closeOthers({ inbox, tools }, [tool], by, approval.approval_id);
    });
  };
}

/**
 * Approvals given outside the inbox, as the answer to the question that waits there about the same definition: left open,
 * it could be answered with the opposite. Whoever may not answer it may not approve here either.
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
        const wish = { choice: "approve", subject_hash, reason: "said with `writ tool approve`" };
        const decided = await inbox.decide(by.value, approval_id, wish, async () => ok(() => carry(tools, [tool])));
        if (!decided.ok) return decided;
      }
      const rest = await tools.approve(chosen.filter((tool) => !asked.some((each) => each.tool === tool)));
      if (!rest.ok) return rest;
      const closed = await closeOthers({ inbox, tools }, chosen, by.value);
      return closed.state === "done" ? ok(undefined) : closed.error;
    },
  };
}

async function carry(tools: ToolApprovals, chosen: readonly SurveyedTool[]): ReturnType<CarryOut> {
  const done = await tools.approve(chosen);
  return done.ok ? { state: "done" } : { state: "failed", error: done };
}

/** Other questions about tools that are settled now: about the same definition, or about one that is no longer offered. */
async function closeOthers(
  { inbox }: Sources,
  settled: readonly Named[],
  by: Caller,
  answered?: string,
): ReturnType<CarryOut> {
  const open = await openQuestions(inbox, settled);
  if (!open.ok) return { state: "failed", error: open };
  for (const question of open.value) {
    const { approval_id, choice } = question;
    // A word that somebody else said stands until they, or whoever repeats it, find out what became of it.
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
  return approval.kind === "changed_tool" && asked.server === server && asked.name === name;
}

function namedIn({ subject }: Approval): Named {
  const { server, name } = subject;
  return { server: typeof server === "string" ? server : "", name: typeof name === "string" ? name : "" };
}
