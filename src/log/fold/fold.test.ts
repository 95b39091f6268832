import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { shippedRegistry } from "#core/contracts";
import { canonicalJson, type SessionId } from "#core/values";
import { eventsOf, value, writeGreeting } from "../../../test/support/greeting-session.ts";
import { SealedWorkspace } from "../../../test/support/sealed-workspace.ts";
import type { Event } from "../event.ts";
import { Fold } from "./fold.ts";
import { replay, snapshotText } from "./replay.ts";

const workspace = new SealedWorkspace(11);
let session_id: SessionId;
let events: readonly Event[];

beforeAll(async () => {
  const session = await writeGreeting(workspace.log, { calls: 2, denied: true, pass: workspace.pass });
  session_id = session.session_id;
  await workspace.shut();
  events = await eventsOf(workspace.reader, session_id);
});
afterAll(() => workspace.remove());

const options = () => ({ reader: workspace.reader, schemas: shippedRegistry() });

describe("replay", () => {
  test("gives the answer, its cost, the state of each role and the tools called", async () => {
    const snapshot = value(await replay(session_id, options()));
    expect(snapshot).toMatchObject({
      session_id,
      closed: true,
      ok: true,
      status: "success",
      output: "Hello, Ada",
      verdict: "pass",
      cost: { input: 1290, output: 197, usd: 0.0005 },
      agents: { lead: "LEAD", planner: "PLAN", worker: "WORK", reviewer: "REVIEW", flow: "DONE" },
      skills: ["greet"],
      gates: { allow: 6, deny: 2, transform: 0, ask: 0, refused: 1 },
      workflow: null,
      work_order: { work_order_id: "WO-20261115-001", framework_id: "FMWK-005", status: "success" },
      event_count: events.length,
      head_hash: events.at(-1)?.hash,
    });
    expect(snapshot.tools_invoked).toEqual([
      { call_id: "call-1", name: "echo", args: { text: "Hello, Ada" }, status: "ok" },
      { call_id: "call-2", name: "echo", args: { text: "Hello, Ada" }, status: "ok" },
    ]);
    expect(snapshot.roles["worker"]).toEqual({ calls: 2, input: 610, output: 70, usd: 0.0002, duration_ms: 170 });
    expect(shippedRegistry().validate("session_snapshot_v1", snapshot).ok).toBe(true);
  });

  test("gives the bytes that were stored at close", async () => {
    const kept = readFileSync(workspace.file(session_id, "snapshot.json"), "utf8");
    expect(snapshotText(value(await replay(session_id, options())))).toBe(kept);
  });

  test("gives the same bytes in any time zone and locale", () => {
    const program = `
      import { systemClock } from "#core/values"; import { JsonlReader, replay, snapshotText } from "#log"; import { ledgerRules, shippedRegistry } from "#core/contracts";
      const reader = new JsonlReader({ root: process.argv[1], rules: ledgerRules, clock: systemClock, pollMs: 10 });
      const snapshot = await replay(process.argv[2], { reader, schemas: shippedRegistry() });
      process.stdout.write(snapshotText(snapshot.value));`;
    const kept = readFileSync(workspace.file(session_id, "snapshot.json"), "utf8");
    for (const [TZ, LC_ALL] of [
      ["Pacific/Chatham", "tr_TR.UTF-8"],
      ["America/St_Johns", "C"],
      ["UTC", "de_DE.UTF-8"],
    ]) {
      const child = spawnSync(
        process.execPath,
        [
          "--import",
          "tsx",
          "--conditions=writ-source",
          "--input-type=module",
          "-e",
          program,
          workspace.root,
          session_id,
        ],
        {
          cwd: new URL("../../..", import.meta.url).pathname,
          env: { ...process.env, TZ, LC_ALL, LANG: LC_ALL },
          encoding: "utf8",
        },
      );
      expect(child.stderr.replaceAll(/^npm warn.*\n/gm, "")).toBe("");
      expect(child.stdout).toBe(kept);
    }
  });

  test("an open session is folded up to its last event", () => {
    const fold = new Fold(session_id, shippedRegistry());
    for (const event of events.slice(0, 12)) value(fold.add(event));
    expect(fold.snapshot()).toMatchObject({
      closed: false,
      ok: null,
      output: null,
      event_count: 12,
      head_hash: events[11]?.hash,
    });
  });

  test("an event of an unknown type is refused by name, never skipped", () => {
    const fold = new Fold(session_id, shippedRegistry());
    const strange = { ...events[0], type: "moon.phase" } as unknown as Event;
    const refused = fold.add(strange);
    expect(refused.ok ? "" : refused.error.message).toContain('"moon.phase"');
  });
});

describe("a correction", () => {
  test("is in the replay, while the recorded event stays", async () => {
    const other = new SealedWorkspace(12);
    const session = await writeGreeting(other.log, { leaveOpen: true });
    const recorded = await eventsOf(other.log, session.session_id);
    const response = recorded.find(({ type }) => type === "llm.response");
    if (!response) throw new Error("the greeting asks a model");
    value(
      await session.append({
        type: "event.amended",
        actor: "ada@local",
        payload: {
          amends: response.id,
          reason: "the vendor billed more",
          correction: { usage: { input_tokens: 1180, output_tokens: 32, cost_usd: 1 } },
        },
      }),
    );
    value(await session.close({ ok: true, status: "success" }));
    await other.shut();
    const settings = { reader: other.reader, schemas: shippedRegistry() };
    const snapshot = value(await replay(session.session_id, settings));
    expect(snapshot.cost).toEqual({ input: 2290, output: 197, usd: 1.0004 });
    expect(snapshot.amended).toEqual([response.id]);
    expect(readFileSync(other.file(session.session_id, "snapshot.json"), "utf8")).toBe(`${canonicalJson(snapshot)}\n`);
    const { ok, sessions } = await other.verifyOne(session.session_id);
    expect(ok).toBe(true);
    expect(sessions[0]?.notes).toEqual([]);
    other.remove();
  });

  test("adds to those before it, and the last one counts", async () => {
    const fold = new Fold(session_id, shippedRegistry());
    const amended = (correction: object) =>
      ({
        ...events[0],
        type: "event.amended",
        payload: { amends: "01x", reason: "r", correction },
      }) as unknown as Event;
    for (const correction of [{ a: 1, b: 1 }, { b: 2, c: 2 }, { c: 3 }]) value(fold.add(amended(correction)));
    expect([...fold.found]).toEqual([["01x", { correction: { a: 1, b: 2, c: 3 }, seq: 1 }]]);
  });

  test("that breaks the contract of what it corrects is refused, whether or not the fold looks at such events", () => {
    for (const [type, correction] of [
      ["worker.report", { output: 7 }],
      ["tool.output", { trust: 7 }],
    ] as const) {
      const corrected = events.find((event) => event.type === type) as Event;
      const fold = new Fold(session_id, shippedRegistry(), new Map([[corrected.id, { correction, seq: 99 }]]));
      const refused = events.map((event) => fold.add(event)).find(({ ok }) => !ok);
      expect(refused).toMatchObject({
        ok: false,
        error: { code: "SCHEMA_VIOLATION", details: { seq: corrected.seq, amended_by: 99 } },
      });
    }
  });
});

describe("a workflow", () => {
  test("is restored with its cycle, phase and verdict", () => {
    const fold = new Fold(session_id, shippedRegistry());
    const tell = (type: string, payload: object) =>
      value(fold.add({ ...events[0], type, payload } as unknown as Event));
    tell("workflow.started", { cycle_id: "compound", session_id, entry_phase: "plan" });
    tell("workflow.phase_advanced", { cycle_id: "compound", from_phase: "plan", to_phase: "work" });
    expect(fold.snapshot().workflow).toEqual({
      cycle_id: "compound",
      phase: "work",
      verdict: null,
      phases_visited: ["plan", "work"],
    });
    tell("workflow.completed", { cycle_id: "compound", verdict: "done" });
    expect(fold.snapshot().workflow?.verdict).toBe("done");
    tell("workflow.aborted", { cycle_id: "compound", reason: "halt" });
    expect(fold.snapshot().workflow?.verdict).toBe("abort");
  });

  test("names that events bring are plain data, even __proto__", () => {
    const fold = new Fold(session_id, shippedRegistry());
    value(
      fold.add({
        ...events[0],
        type: "agent.transition",
        actor: "__proto__",
        payload: { from: "INTAKE", to: "LEAD" },
      } as unknown as Event),
    );
    expect(canonicalJson(fold.snapshot())).toContain('"agents":{"__proto__":"LEAD"}');
  });
});
