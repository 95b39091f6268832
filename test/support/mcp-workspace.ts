import { expect } from "vitest";
import type { TestWorkspace } from "./runtime-workspace.ts";

/** Approves every tool that the declared servers offer, and opens the workspace anew with them. */
export async function approveAll(workspace: TestWorkspace): Promise<void> {
  await approveOffered(workspace);
  await workspace.reopen();
}

/** The same while a server has the workspace open: sessions that begin later have the tools. */
export async function approveOffered(workspace: TestWorkspace): Promise<void> {
  for (const survey of await workspace.runtime.approvals.survey(AbortSignal.timeout(30_000))) {
    if (survey.error) throw new Error(survey.error.message);
    const done = await workspace.runtime.approvals.approve(survey.tools);
    if (!done.ok) throw new Error(done.error.message);
  }
}

/** What `writ tool call` does. */
export async function callTool({ runtime }: TestWorkspace, tool: string, args: object) {
  const order = await runtime.writeToolOrder(tool, args as never);
  if (!order.ok) throw new Error(order.error.message);
  return runtime.runFlow({ work_order: { ...order.value }, caller_id: runtime.caller }, { fresh: true });
}

/** Decides the newest open question as the local user. */
export async function decideOpen({ runtime }: TestWorkspace, choice: string, more: object = {}) {
  const open = await runtime.inbox.list({ state: "open", limit: 5 });
  const by = runtime.localCaller();
  const [asked] = open.ok ? open.value : [];
  if (!asked || !by.ok) throw new Error("a person was not asked");
  const input = { choice, subject_hash: asked.subject_hash, reason: "", ...more };
  expect(await runtime.decisions.decide(by.value, asked.approval_id, input)).toMatchObject({ ok: true });
  return asked;
}
