// Kill -9 in each phase of a cycle, then resume in another process: the same verdict, path and judgements as the undisturbed
// run, nothing with a recorded result done again, and the record verifies. `WRIT_CAMPAIGN=1` kills at every event.
import { beforeAll, describe, expect, test } from "vitest";
import type { SessionId } from "#base";
import type { Event } from "#events";
import { built } from "../support/built.ts";
import { runChild } from "../support/child.ts";
import { type CycleWorkspace, cycleWorkspace, finding, findings, made } from "../support/cycle-workspace.ts";
import { workOrder } from "../support/runtime-workspace.ts";

const rules = [
  {
    when: { persona: "maker", call: 1 },
    respond: {
      tool_calls: [
        { name: "fs.write", args: { path: "output/tidy/done.txt", content: "tidy", expected_hash: "", why: "asked" } },
      ],
    },
  },
  { when: { persona: "maker" }, respond: made },
  { when: { persona: "sharp-eye", call: 1 }, respond: findings(finding({ severity: "P1" })) },
  { when: { persona: "sharp-eye" }, respond: findings(finding()) },
];

const order = () =>
  workOrder({
    type: "cycle",
    cycle: "tidy",
    scope: { allowed_files: ["output/**"] },
    tool_permissions: ["fs.write"],
    budget: { token_limit: 100_000, turn_limit: 40, timeout_seconds: 60 },
  });

async function room(): Promise<CycleWorkspace> {
  const workspace = await cycleWorkspace({ rules });
  await workspace.runtime.close();
  return workspace;
}

let undisturbed: readonly Event[];
beforeAll(async () => {
  built();
  await using workspace = await room();
  const child = await runChild("resume-child.mjs", {
    root: workspace.root,
    order: order(),
    ledger: `${workspace.root}/ledger`,
  });
  expect(JSON.parse(child.stdout), child.stderr).toMatchObject({ status: "success", verdict: "done" });
  await workspace.reopen();
  undisturbed = await workspace.events(await sessionOf(workspace));
});

async function sessionOf(workspace: CycleWorkspace): Promise<SessionId> {
  for await (const info of workspace.runtime.log.list())
    if (info.ok && info.value.tier === "ho1") return info.value.session_id;
  throw new Error("no session was begun");
}

/** What a cycle came to, without ids and times. */
function judgements(events: readonly Event[]) {
  return events
    .filter(({ type }) =>
      ["workflow.judged", "workflow.phase_advanced", "workflow.completed", "workflow.policy_gated"].includes(type),
    )
    .map(({ type, payload }) => [type, { ...payload, input_hash: undefined }]);
}

async function killAndResume(killAfter: number): Promise<void> {
  await using workspace = await room();
  const input = { root: workspace.root, ledger: `${workspace.root}/ledger` };
  const killed = await runChild("resume-child.mjs", { ...input, order: order(), killAfter });
  expect(killed.signal, killed.stderr).toBe("SIGKILL");
  await workspace.reopen();
  const session_id = await sessionOf(workspace);
  const before = await workspace.events(session_id);
  await workspace.runtime.close();
  const resumed = await runChild("resume-child.mjs", { ...input, resume: session_id });
  expect(JSON.parse(resumed.stdout), resumed.stderr).toMatchObject({ status: "success", verdict: "done" });
  await workspace.reopen();
  const events = await workspace.events(session_id);
  expect((await workspace.runtime.verifySession(session_id)).violations).toEqual([]);
  expect(judgements(events)).toEqual(judgements(undisturbed));
  expect(await workspace.read("output/tidy/done.txt")).toBe("tidy");
  expectNothingTwice(before, events);
}

/** A request that had its answer is not sent again, and a call that had its output is not made again. */
function expectNothingTwice(before: readonly Event[], events: readonly Event[]): void {
  const of = (list: readonly Event[], type: string, key: string) =>
    list
      .filter((event) => event.type === type)
      .map(({ payload }) => String((payload as unknown as Record<string, unknown>)[key]));
  const answered = new Set(of(before, "llm.response", "request_id"));
  const hashes = before
    .filter(
      (event): event is Event<"llm.request"> =>
        event.type === "llm.request" && answered.has((event as Event<"llm.request">).payload.request_id),
    )
    .map(({ payload }) => payload.conversation_hash);
  const all = of(events, "llm.request", "conversation_hash");
  for (const hash of hashes) expect(all.filter((each) => each === hash)).toHaveLength(1);
  const shown = of(before, "tool.output", "call_id");
  for (const call of shown)
    expect(of(events, "tool.invoke", "call_id").filter((each) => each === call)).toHaveLength(1);
}

describe("killed in a phase and resumed", () => {
  /** The n-th event of a type, counted from 0: kill -9 follows it at once. */
  const at = (type: string, nth: number): number => {
    const found = undisturbed.flatMap((event, index) => (event.type === type ? [index + 1] : []));
    return found[nth] ?? 0;
  };
  test.each([
    ["make, while its persona writes", "tool.invoke", 0],
    ["look, while two reviewers are asked", "llm.request", 3],
    ["look, when the findings are gathered", "workflow.gathered", 1],
    ["make again, just entered", "workflow.entered", 2],
    ["look again, while its report is written", "tool.invoke", 2],
    ["the end, when the verdict is recorded", "workflow.completed", 0],
  ])("%s", async (_, type, nth) => {
    expect(at(type, nth), `${type} ${nth}`).toBeGreaterThan(0);
    await killAndResume(at(type, nth));
  });

  test.runIf(process.env["WRIT_CAMPAIGN"])("at every event", { timeout: 3_600_000 }, async () => {
    const first = undisturbed.findIndex(({ type }) => type === "wo.started") + 1;
    const last = undisturbed.findIndex(({ type }) => type === "wo.completed") - 1;
    for (let event = first; event <= last; event++) await killAndResume(event);
  });
});
