import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, onTestFinished, test } from "vitest";
import { escalatedReview } from "#agents";
import { ok } from "#core/values";
import { changedTool, heldActs, inDoubt, toolCall } from "#effects";
import type { Event } from "#log";
import { type ApprovalKinds, createInbox } from "#people";
import { gatedFinding } from "#workflows";
import { memoryRecorder } from "../../../test/support/memory-recorder.ts";
import { valueOf } from "../../../test/support/tool-bench.ts";
import { manualClock } from "../../core/values/manual-clock.ts";
import { agentQuestion } from "../../effects/approval-kinds/agent-question.ts";
import { quarantinedTurn } from "../../effects/approval-kinds/quarantined-turn.ts";
import { serverQuestion } from "../../effects/approval-kinds/server-question.ts";
import { heldStep } from "../../governance/approval-kinds/held-step.ts";
import { openSharedStore } from "../../operate/store/sqlite-shared-store.ts";
import { blockedWork } from "../../runs/approval-kinds/blocked-work.ts";
import { refusedActs } from "../../work/approval-kinds/refused-acts.ts";
import { workflowWait } from "../../workflows/approval-kinds/workflow-wait.ts";
import { type ApprovalParts, approvalKinds } from "./approvals.ts";

type Kinds = ApprovalKinds<ApprovalParts>;

describe("the table of kinds", () => {
  test("has every kind under its own name", () => {
    for (const [name, { kind }] of Object.entries(approvalKinds)) expect(kind).toBe(name);
  });

  // Planted faults: the type check is red when one of them compiles.
  test("does not compile without a kind, an answer, a label, or a part that a kind acts with", () => {
    const { held_step: _heldStep, ...others } = approvalKinds;
    // @ts-expect-error: held_step is missing
    const forgotten: Kinds = others;
    const { onExpiry: _onExpiry, ...silent } = blockedWork;
    // @ts-expect-error: nothing says what follows from expiry
    const unanswered: Kinds = { ...approvalKinds, blocked_work: silent };
    // @ts-expect-error: "drop" has no label
    const unlabelled: typeof quarantinedTurn = { ...quarantinedTurn, studio: { plural: "", labels: { release: "" } } };
    // @ts-expect-error: in_doubt stands under the name of another kind
    const misplaced: Kinds = { ...approvalKinds, tool_call: inDoubt };
    // @ts-expect-error: the parts of changed_tool and quarantined_turn are not handed in
    const partless: ApprovalKinds<Pick<ApprovalParts, "isRecorded">> = approvalKinds;
    expect([forgotten, unanswered, unlabelled, misplaced, partless]).toHaveLength(5);
  });
});

describe("a question of each kind", () => {
  const call = {
    call_id: "c1",
    tool: "say",
    tool_hash: "h",
    args: { text: "hi" },
    attempt: 2,
    role: "worker",
    work_order_id: "WO-1",
    reason: "why",
  };
  const act = {
    ...call,
    values: [],
    rules_hash: "h",
    doubts: [{ at: "/text", why: 'text "hi": why', line: "hi there" }],
  };
  const phase = { question: "may it?", cycle_id: "tidy", phase: "look", visit: 1 };
  const review = { feedback: "no", reason: "spent", rework_count: 2 };
  const routed = {
    type: "workflow.finding_routed",
    seq: 7,
    payload: { cycle_id: "tidy", phase: "look", visit: 1, finding: "f", title: "Dust", severity: "P2", reason: "r" },
  } as unknown as Event<"workflow.finding_routed">;
  const changed = { server: "kb", name: "kb.find", hash: "h", definition: {}, differences: [], noticed_in: "SES-1" };
  const turn = { turn_id: "T-1", code: "UNDECLARED_WRITE", message: "m", declared: ["a"], writes: [{ path: "b" }] };
  const held = { point: "SkillStart" as const, payload: { card: "4111" }, reason: "why", decidedBy: "h1" };
  const work = { work_id: "W-1", run_id: "R-1", app_id: "app", capability: "write", objective: "o" };
  const question = { call_id: "c2", role: "solo", work_order_id: "WO-1", question: "which port?" };
  const ajv = new Ajv2020();

  const asked = async () => {
    const clock = manualClock(Date.UTC(2026, 10, 15));
    const store = valueOf(openSharedStore(":memory:", clock));
    const session = memoryRecorder();
    const inbox = createInbox({
      store,
      clock,
      expiresInMs: 60_000,
      self: "never",
      redact: (subject) => JSON.parse(JSON.stringify(subject).replaceAll("4111", "[card]")),
      record: async () => ok(undefined),
    });
    const waits = { author: "ada", session };
    const noted = { author: "ada", session: null, session_id: "SES-1" };
    for (const put of [
      await inbox.ask(toolCall, call, waits),
      await inbox.ask(inDoubt, call, waits),
      await inbox.ask(heldActs, { role: "solo", work_order_id: "WO-1", acts: [act] }, waits),
      await inbox.ask(heldStep, held, waits),
      await inbox.ask(escalatedReview, { ...review, output: "done" }, waits),
      await inbox.ask(escalatedReview, { ...review, seq: 3 }, noted),
      await inbox.ask(workflowWait, { ...phase, about: { outputs: {} }, timeout_seconds: 5 }, waits),
      await inbox.ask(gatedFinding, { ...phase, about: { finding: {} }, finding: "f" }, waits),
      await inbox.ask(gatedFinding, { noted: routed }, noted),
      await inbox.ask(changedTool, { ...changed, reason: "why" }, { author: "ada", session: null }),
      await inbox.ask(quarantinedTurn, turn, noted),
      await inbox.ask(refusedActs, { acts: [{ call_id: "c1", tool: "say", code: "x", reason: "4111" }] }, noted),
      await inbox.ask(agentQuestion, { ...question, options: ["8080", "80"] }, waits),
      await inbox.ask(
        serverQuestion,
        { ...question, server: "kb", tool: "kb.find", message: "which?", wanted: { form: {} } },
        waits,
      ),
      await inbox.ask(blockedWork, work, { author: "app", session: null, run_id: "R-1" }),
    ])
      expect(put).toMatchObject({ value: { state: "waiting" } });
    const approvals = valueOf(await inbox.list({ limit: 100 }));
    onTestFinished(() => void store.close());
    return { inbox, approvals, session, clock };
  };

  test("has a subject of its kind's schema, a label for each choice, and waits", async () => {
    const put = await asked();
    expect(put.approvals).toHaveLength(15);
    expect(new Set(put.approvals.map(({ kind }) => kind))).toEqual(new Set(Object.keys(approvalKinds)));
    for (const { kind, subject, choices } of put.approvals) {
      const { subject: stated, studio } = approvalKinds[kind];
      expect(ajv.validate(stated.schema, subject), `${kind}: ${ajv.errorsText()}`).toBe(true);
      const labels = new Map(Object.entries(studio.labels));
      for (const choice of choices) expect(labels.get(choice)).toBe(choice.replaceAll("_", " "));
    }
    expect(JSON.stringify(put.approvals)).not.toContain("4111");
    expect(put.approvals.find(({ kind }) => kind === "workflow_wait")?.expires_at).toBe("2026-11-15T00:00:05.000Z");
  });

  test("that a session asks stands in its log, and the verdict too unless the session has an event of its own", async () => {
    const put = await asked();
    expect(put.session.of("approval.requested")).toHaveLength(9);
    const bob = { id: "bob", roles: [], grants: ["approve"], authenticatedBy: "api_key" as const };
    for (const { approval_id, subject_hash, choices } of put.approvals)
      valueOf(await put.inbox.decide(bob, approval_id, { choice: choices[0] ?? "", subject_hash, reason: "yes" }));
    const waits = { author: "ada", session: put.session };
    const yes = { value: { state: "approved", by: "bob", reason: "yes" } };
    expect(await put.inbox.ask(toolCall, call, waits)).toMatchObject(yes);
    expect(put.session.of("approval.decided")).toMatchObject([{ kind: "tool_call", call_id: "c1", by: "bob" }]);
    const wait = { ...phase, about: { outputs: {} }, timeout_seconds: 5 };
    expect(await put.inbox.ask(workflowWait, wait, waits)).toMatchObject(yes);
    expect(put.session.of("approval.decided")).toHaveLength(1);
  });

  test("that expires is denied with the kind's reason; a call in doubt stays in doubt", async () => {
    const put = await asked();
    put.clock.advance(60_001);
    const waits = { author: "ada", session: put.session };
    expect(await put.inbox.ask(toolCall, call, waits)).toMatchObject({
      value: {
        state: "denied",
        by: "nobody",
        reason: "nobody allowed it before 2026-11-15T00:01:00.000Z",
        expired: true,
      },
    });
    expect(await put.inbox.ask(inDoubt, call, waits)).toMatchObject({ value: { state: "waiting" } });
    expect(put.session.of("approval.decided")).toEqual([]);
  });
});
