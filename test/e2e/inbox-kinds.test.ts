// What waits for a person outside of tool calls comes into the same inbox, and a decision has its consequence.
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TurnResultV1 } from "#core/contracts";
import { systemClock, systemRandom } from "#core/values";
import { initWorkspace } from "#operate";
import type { Approval } from "#people";
import type { Lease } from "#runs";
import { openKernel } from "../../src/runs/open-kernel.ts";
import { writ, writJson } from "../support/resident-writ.ts";
import { testWorkspace } from "../support/runtime-workspace.ts";

const place = mkdtempSync("/var/tmp/writ-inbox-");
const cwd = join(place, "workspace");
beforeAll(async () => {
  chmodSync(place, 0o755);
  await initWorkspace(cwd);
});
afterAll(() => rmSync(place, { recursive: true, force: true }));
const inbox = async () => (await writJson<{ approvals: Approval[] }>(["inbox"], { cwd })).json.approvals;

test("a review that does not pass when rework is spent is a question", async () => {
  await using workspace = await testWorkspace({
    rules: [
      {
        when: { role: "reviewer" },
        respond: { json: { verdict: "fail", feedback: "not good", issues: [], schema_version: "v1" } },
      },
    ],
  });
  await workspace.ask("greet Ada");
  const found = await workspace.runtime.inbox.list({ state: "open", limit: 10 });
  expect(found).toMatchObject({ value: [{ kind: "escalated_review", choices: ["accept", "reject"] }] });
});

test("a turn that wrote against its word waits, and what is released lands", async () => {
  const file = join(place, "turn.json");
  writeFileSync(
    file,
    JSON.stringify({
      package_id: "PKG-DEMO-001",
      turn_number: 1,
      query: "go",
      declared_inputs: [],
      declared_outputs: [{ path: "report.md" }],
      capabilities: { read: [], write: ["report.md", "extra.md"] },
      handler: { command: ["sh", "-c", "echo a > report.md; echo b > extra.md"] },
    }),
  );
  const ran = await writJson<TurnResultV1>(["turn", "exec", file, "--dev"], { cwd });
  expect(ran.json).toMatchObject({ status: "error", error: { code: "UNDECLARED_WRITE" } });
  const [question] = await inbox();
  expect(question).toMatchObject({ kind: "quarantined_turn", choices: ["release", "drop"] });
  expect(question?.subject_text).toContain("extra.md");
  expect(existsSync(join(cwd, "extra.md"))).toBe(false);
  expect((await writ(["inbox", "approve", question?.approval_id ?? ""], { cwd })).status).toBe(0);
  expect(existsSync(join(cwd, "extra.md"))).toBe(true);
  expect(await inbox()).toEqual([]);
});

test("work that is blocked is there until somebody takes note", async () => {
  const opened = await openKernel({ root: cwd, clock: systemClock, random: systemRandom });
  if (!opened.ok) throw new Error(opened.error.message);
  const { kernel } = opened.value;
  const run = await kernel.startRun({ app_id: "writer", objective: "a page", actor_id: "ada" });
  if (!run.ok) throw new Error(run.error.message);
  const work = {
    work_id: kernel.ids.workId(),
    capability: "research",
    objective: "find sources",
    depends_on: [],
    idempotency_key: null,
  };
  await kernel.submit({ kind: "request_work", run_id: run.value.run_id, actor_id: "writer", work: [work] });
  const leased = await kernel.claimWork({
    capabilities: ["research"],
    lease_owner: "w1",
    limit: 1,
    lease_ms: 30_000,
  });
  if (!leased.ok) throw new Error(leased.error.message);
  await kernel.submit({ kind: "block_work", lease: leased.value[0] as Lease, reason: "the site is down" });
  await opened.value.close();
  const [question] = await inbox();
  expect(question).toMatchObject({
    kind: "blocked_work",
    choices: ["acknowledge"],
    subject: { work_id: work.work_id },
  });
  expect((await writ(["inbox", "approve", question?.approval_id ?? ""], { cwd })).status).toBe(0);
  expect(await inbox()).toEqual([]);
});
