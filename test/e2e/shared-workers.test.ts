import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sha256 } from "#core/values";
import { builtInApps } from "../../src/runs/apps/built-in-apps.ts";
import { type HostileServer, hostileServer } from "../support/mcp.ts";
import { runOfApp } from "../support/run-of-app.ts";
import { type TestWorkspace, testWorkspace } from "../support/runtime-workspace.ts";
import { smallApp, want } from "../support/small-app.ts";

const tool = (name: string, readOnlyHint: boolean): object => ({
  name,
  description: name,
  inputSchema: { type: "object", required: ["question"], properties: { question: { type: "string" } } },
  annotations: { readOnlyHint },
});
const result = { content: [{ type: "text", text: "The bees dance to show where the nectar is." }] };

let workspace: TestWorkspace;
let server: HostileServer;
beforeAll(async () => {
  server = hostileServer({ tools: [tool("ask", true), tool("forget", false)], result });
  workspace = await testWorkspace({
    config: {
      mcp: { servers: { keeper: { command: process.execPath, args: [...server.args], rights: server.rights } } },
    },
    files: {
      "src/limit.ts": "export const limit = 10; // wheelbarrows in the shed\n",
      "src/main.ts": 'import { limit } from "./limit.ts";\n',
      "notes/bees.md":
        "# Bees\n\nA hive of bees makes honey from nectar.\n\n## Winter\n\nIn winter the bees keep the queen warm.\n",
    },
  });
  const { approvals } = workspace.runtime;
  const surveys = await approvals.survey(new AbortController().signal, ["keeper"]);
  expect(await approvals.approve(surveys.flatMap(({ tools }) => tools))).toMatchObject({ ok: true });
  await workspace.reopen();
});
afterAll(async () => {
  await workspace[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const section = { op: "section.insert", heading: "Bees", level: 2 };

describe("the shared workers", () => {
  test("a researcher reads files and MCP servers under a work order and cites each finding in a patch", async () => {
    const { run, events, patches } = await runOfApp(
      workspace.runtime,
      smallApp,
      JSON.stringify([want("research", "What do bees do?", { target: section, base_revision_id: null })]),
    );
    expect(run).toMatchObject({ status: "closed", close_reason: "completed" });
    const completed = events.find(({ event_type }) => event_type === "work.completed");
    expect(completed?.payload).toMatchObject({
      result: {
        work_order_id: expect.stringMatching(/^WO-\d{8}-\d{3,}$/),
        session_id: expect.stringMatching(/^SES-/),
        attempt: 1,
        citations: expect.arrayContaining([
          expect.objectContaining({
            kind: "file",
            source: "notes/bees.md",
            sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
          }),
          expect.objectContaining({ kind: "mcp", source: "keeper.ask" }),
        ]),
      },
    });
    const op = patches[0]?.ops[0] as { op: string; heading: string; body: string };
    expect(op).toMatchObject(section);
    expect(op.body).toContain("makes honey from nectar.[^");
    expect(op.body).toMatch(/\[\^[a-z0-9]+-1\]: `notes\/bees\.md`, line/);
    // The order names the run and the item; its session is whole and verified.
    const { result } = (completed?.payload ?? {}) as { result: { session_id: string } };
    const recorded = await workspace.events(result.session_id);
    const started = recorded.find(({ type }) => type === "wo.started")?.payload as { work_order: object };
    expect(started.work_order).toMatchObject({
      run_id: run.run_id,
      work_id: completed?.payload.work_id,
      type: "research",
    });
    expect(
      recorded.filter(({ type }) => type === "tool.invoke").map(({ payload }) => (payload as { name: string }).name),
    ).toEqual(["sources.search", "keeper.ask"]); // what only looks is asked; what may change something is not even offered
    expect(op.body).toContain("The bees dance to show where the nectar is.[^");
    expect(op.body).toContain("the tool `keeper.ask`");
    expect((await workspace.runtime.verifySession(result.session_id as never)).ok).toBe(true);
  });

  test("a researcher without a target hands back a note and no patch, also from registries", async () => {
    const { patches, events } = await runOfApp(
      workspace.runtime,
      smallApp,
      JSON.stringify([
        want("research", "What keeps the queen warm in winter?"),
        want("research", "Which version has the Agent Orchestration Framework?", { sources: ["registries/*.csv"] }),
      ]),
    );
    expect(patches).toEqual([]);
    const results = events
      .filter(({ event_type }) => event_type === "work.completed")
      .map(({ payload }) => payload["result"]);
    expect(results).toContainEqual(
      expect.objectContaining({
        citations: expect.arrayContaining([
          expect.objectContaining({ kind: "registry", source: "registries/frameworks_registry.csv" }),
        ]),
      }),
    );
    expect(results).toContainEqual(
      expect.objectContaining({
        note: expect.objectContaining({
          findings: expect.arrayContaining([expect.objectContaining({ heading: "Winter" })]),
        }),
      }),
    );
  });

  test("an agent plans, works and is reviewed where the app named a place, and proposes operations where it did not", async () => {
    const { patches, events } = await runOfApp(
      workspace.runtime,
      smallApp,
      JSON.stringify([
        want("agent", "Write about bees", { target: section }),
        want("agent", "Say something of your own"),
      ]),
    );
    expect(patches.map(({ ops }) => ops[0])).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          op: "section.insert",
          heading: "Bees",
          body: expect.stringContaining("Write about bees"),
        }),
        expect.objectContaining({ op: "section.insert", heading: "Say something of your own" }),
      ]),
    );
    const verdicts = events
      .filter(({ event_type }) => event_type === "work.completed")
      .map(({ payload }) => (payload["result"] as { verdict?: string }).verdict);
    expect(verdicts).toContain("pass");
  });

  test("a code change without a key: what the request spells out is made, reviewed and one revision; what it does not is a proposal", async () => {
    const app = builtInApps["code-change"];
    if (!app) throw new Error("the code-change app is built in");
    const literal = await runOfApp(workspace.runtime, app, "Rename limit to capacity in src/limit.ts and src/main.ts");
    expect(literal.run).toMatchObject({ close_reason: "completed", close_message: "2 file(s) reviewed and accepted" });
    expect(literal.patches.flatMap(({ ops }) => ops)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          path: "src/limit.ts",
          content: "export const capacity = 10; // wheelbarrows in the shed\n",
        }),
        expect.objectContaining({ path: "src/main.ts", content: 'import { capacity } from "./limit.ts";\n' }),
      ]),
    );
    expect(literal.patches.every((patch) => patch.applied_in_revision_id !== null)).toBe(true);
    const thought = await runOfApp(workspace.runtime, app, "Let people say how many wheelbarrows fit into the shed");
    expect(thought.run).toMatchObject({ close_reason: "completed" });
    expect(thought.patches[0]?.ops[0]).toMatchObject({
      path: "CHANGE.md",
      content: expect.stringMatching(/No model is set up[\s\S]*`src\/limit.ts`, lines 1 to \d/),
    });
    const impossible = await runOfApp(workspace.runtime, app, 'Replace "nowhere" with "here" in src/main.ts');
    expect(impossible.run).toMatchObject({
      close_reason: "blocked",
      close_message: expect.stringContaining("src/main.ts"),
    });
  });

  test("a terminal hands back what its turn printed and wrote: each declared file with its hash, as a patch where the item asks for one", async () => {
    const { work, patches, events } = await runOfApp(
      workspace.runtime,
      smallApp,
      JSON.stringify([
        want("terminal", "writes", {
          command: [
            "sh",
            "-c",
            "echo said; echo warned >&2; echo made > made.txt; mkdir -p deep && printf x > deep/x.txt",
          ],
          declared_outputs: ["made.txt", "deep/x.txt"],
          propose_files: true,
        }),
        want("terminal", "forgets", { command: ["true"], declared_outputs: ["never.txt"] }),
        want("terminal", "strays", {
          command: ["sh", "-c", "echo no > elsewhere.txt"],
          declared_outputs: ["made2.txt"],
        }),
      ]),
    );
    const endOf = (objective: string) => {
      const item = work.find((each) => each.objective === objective);
      return events.findLast(({ payload }) => payload["work_id"] === item?.work_id)?.payload;
    };
    expect(endOf("writes")?.["result"]).toMatchObject({
      exit_code: 0,
      stdout: "said",
      stderr: "warned",
      session_id: expect.stringMatching(/^SES-/),
      files: [
        { path: "deep/x.txt", change: "create", sha256: sha256("x"), bytes: 1 },
        { path: "made.txt", change: "create", sha256: sha256("made\n"), bytes: 5 },
      ],
    });
    expect(patches).toHaveLength(1);
    expect(patches[0]?.ops).toEqual([
      { op: "file.write", path: "deep/x.txt", content: "x" },
      { op: "file.write", path: "made.txt", content: "made\n" },
    ]);
    expect(endOf("forgets")).toMatchObject({ code: "MISSING_OUTPUT", reason: expect.stringContaining("never.txt") });
    expect(work.find(({ objective }) => objective === "strays")?.status).toBe("failed");
  });

  test("a terminal runs a sandboxed turn: output becomes a patch, a bad exit and a malformed item are failures with reasons", async () => {
    const { work, patches, events } = await runOfApp(
      workspace.runtime,
      smallApp,
      JSON.stringify([
        want("terminal", "good", { command: ["sh", "-c", "echo '```'; echo fine"], target: section }),
        want("terminal", "bad", { command: ["sh", "-c", "echo broken >&2; exit 3"] }),
        want("terminal", "malformed", { command: "rm -rf /" }),
      ]),
    );
    expect(Object.fromEntries(work.map(({ objective, status }) => [objective, status]))).toEqual({
      good: "completed",
      bad: "failed",
      malformed: "failed",
    });
    expect(patches[0]?.ops[0]).toMatchObject({ body: "````text\n```\nfine\n````\n" });
    const reasons = events
      .filter(({ event_type }) => event_type === "work.failed")
      .map(({ payload }) => payload["reason"]);
    expect(reasons).toEqual(
      expect.arrayContaining([expect.stringContaining("status 3: broken"), expect.stringContaining("input.command")]),
    );
  });
});
