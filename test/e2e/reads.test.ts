// Reads are effects: what an order may not read is in no context, and what was read is in the record with its hash.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { MandateV1, WorkOrder } from "#core/contracts";
import { canonicalJson, sha256 } from "#core/values";
import type { EventInput } from "#log";
import type { FlowResult } from "#work";
import { cliWith } from "../support/fresh-cli.ts";
import { type TestWorkspace, testWorkspace, type WorkspaceOptions, workOrder } from "../support/runtime-workspace.ts";
import { valueOf } from "../support/tool-bench.ts";

async function workspaceWith(options: WorkspaceOptions = {}): Promise<TestWorkspace> {
  const workspace = await testWorkspace({ rules: [{ respond: { text: "done" } }], ...options });
  onTestFinished(() => workspace[Symbol.asyncDispose]());
  return workspace;
}

/** `writ flow run - --json`, with the payloads of the events that it left. */
async function flowRun(workspace: TestWorkspace, changes: object) {
  const input = JSON.stringify(workOrder(changes));
  const { status, text } = await cliWith({ cwd: workspace.root, input }, "flow", "run", "-", "--json");
  const result = JSON.parse(text) as FlowResult;
  const events = await workspace.events(result.session_id);
  return { status, result, events };
}

type Events = Awaited<ReturnType<typeof flowRun>>["events"];

function assembled(events: Events) {
  const event = events.find(({ type }) => type === "attention.assembled");
  if (event?.type !== "attention.assembled") throw new Error("no context was assembled");
  return event.payload;
}

const sent = (events: Events) => JSON.stringify(events.filter(({ type }) => type === "llm.request"));

describe("attention", () => {
  const files = { "AGENTS.md": "Write British English.\n", "docs/a.md": "Alpha.\n", "docs/private/b.md": "Beta.\n" };

  /** The workspace's own template instead of the shipped one. */
  const withTemplate = async (pipeline: string, more: WorkspaceOptions = {}) => {
    const path = "frameworks/FMWK-005_Agent_Orchestration/attention_templates/ATT-GENERAL-001.yaml";
    const template = `template_id: ATT-GENERAL-001\nversion: "9.0.0"\napplies_to: { framework_id: [FMWK-005] }\npipeline:\n${pipeline}\non_empty: proceed\n`;
    const workspace = await workspaceWith({ ...more, files: { ...files, ...more.files, [path]: template } });
    expect((await workspace.runtime.packages.adopt()).ok).toBe(true); // what governs has an owner, or no flow starts
    return workspace;
  };

  test.each([
    ["names no file", { allowed_files: [] }, "(scope.read_files) names none"],
    ["names other files", { read_files: ["docs/**"] }, "(scope.read_files) names docs/**"],
    ["forbids it", { read_files: ["**"], forbidden_files: ["agents.md"] }, "(scope.forbidden_files) forbids agents.md"],
  ])("AGENTS.md is left out where the order %s, the record says so, and the order goes on", async (_, scope, why) => {
    const workspace = await workspaceWith({ files });
    const { result, events } = await flowRun(workspace, { scope });
    expect(result.status).toBe("success");
    expect(sent(events)).not.toContain("British");
    expect(assembled(events)).toMatchObject({ fragments: [], stages: [{ dropped: { withheld: 1 } }, {}] });
    expect(assembled(events).warnings.join()).toContain(`"AGENTS.md" is not read as context: work order WO-`);
    expect(assembled(events).warnings.join()).toContain(why);
  });

  test("an order without AGENTS.md in its workspace has nothing to be warned of", async () => {
    const workspace = await workspaceWith();
    expect(assembled((await flowRun(workspace, {})).events).warnings).toEqual([]);
  });

  test("a glob of a template brings what the order may read, and a warning for the rest", async () => {
    const workspace = await withTemplate(`  - { type: file_read, paths: ["docs/**/*.md"] }`);
    const scope = { read_files: ["**"], forbidden_files: ["docs/private"] };
    const { events } = await flowRun(workspace, { scope });
    expect(assembled(events).fragments.map(({ origin }) => origin)).toEqual(["file:docs/a.md"]);
    expect(assembled(events).warnings).toEqual(["docs/**/*.md: files that the order may not read were left out"]);
    expect(sent(events)).not.toContain("Beta");
  });

  test("a search over files does not read what the order may not", async () => {
    const workspace = await withTemplate(
      `  - { type: horizontal_search, sources: [files], paths: ["docs/**/*.md", AGENTS.md], query: alpha beta british }`,
    );
    const { events } = await flowRun(workspace, { scope: { read_files: ["docs/*"] } });
    expect(assembled(events).fragments.map(({ origin }) => origin)).toEqual(["file:docs/a.md#L1-2"]);
    expect(assembled(events).warnings).toHaveLength(2);
  });

  test("a registry of the workspace is one of its files; one that Writ ships is not", async () => {
    const workspace = await withTemplate(
      `  - { type: registry_query, registry: teams }\n  - { type: registry_query, registry: specs_registry, limit: 1 }`,
      { files: { "registries/teams.csv": "team,city\nred,Rome\n" } },
    );
    const narrow = assembled((await flowRun(workspace, {})).events);
    expect(narrow.fragments.map(({ origin }) => origin.split("#")[0])).toEqual(["registry:specs_registry"]);
    expect(narrow.warnings.join()).toContain('"registries/teams.csv" is not read as context');
    const wide = assembled((await flowRun(workspace, { scope: { read_files: ["registries/*"] } })).events);
    expect(wide.fragments[0]).toMatchObject({
      origin: "registry:teams#red",
      source_hash: sha256("team,city\nred,Rome\n"),
    });
  });

  test("a template that cannot do without a file fails where the order may not read it", async () => {
    const workspace = await withTemplate(`  - { type: file_read, paths: [AGENTS.md], missing: fail }`);
    const { result } = await flowRun(workspace, {});
    expect(result).toMatchObject({ status: "rejected", error_code: "CAPABILITY_VIOLATION" });
  });
});

describe("context of an order below", () => {
  const usage = { input_tokens: 10, output_tokens: 10 };
  test("has what the order above wrote and has not landed, with its hash, and not what it deleted", async () => {
    const template =
      'template_id: ATT-GENERAL-001\nversion: "9.0.0"\napplies_to: { framework_id: [FMWK-005] }\npipeline:\n  - { type: file_read, paths: ["notes/*.md"] }\non_empty: proceed\n';
    const write = { path: "notes/a.md", content: "zebra\n", expected_hash: "", why: "a test" };
    const workspace = await workspaceWith({
      files: {
        "notes/old.md": "old\n",
        "frameworks/FMWK-005_Agent_Orchestration/attention_templates/ATT-GENERAL-001.yaml": template,
      },
      config: { v2_features: { multi_step_enabled: true, delegation_enabled: true } },
      rules: [
        {
          when: { prompt: "^top$", call: 1 },
          respond: {
            tool_calls: [
              { name: "fs.write", args: write },
              { name: "exec", args: { command: ["rm", "notes/old.md"] } },
            ],
            usage,
          },
        },
        {
          when: { prompt: "^top$", call: 2 },
          respond: { json: { delegate: [{ prompt: "part", token_limit: 5000 }] }, usage },
        },
        { respond: { text: "done", usage } },
      ],
    });
    expect((await workspace.runtime.packages.adopt()).ok).toBe(true);
    const { events } = await flowRun(workspace, {
      type: "delegate",
      schema_version: "v2",
      input: { prompt: "top" },
      scope: { allowed_files: ["notes/**"] },
      tool_permissions: ["fs.write", "exec"],
      delegation: { max_depth: 1 },
      budget: { token_limit: 50_000, turn_limit: 20, timeout_seconds: 60 },
    });
    const made = events.find(({ type }) => type === "delegation.made");
    const child = made?.type === "delegation.made" ? made.payload.child_session_id : undefined;
    expect(assembled(await workspace.events(child)).reads).toEqual([
      { path: "notes/a.md", sha256: sha256(Buffer.from("zebra\n")) },
    ]);
  });
});

describe("evidence", () => {
  const files = {
    "docs/a.md": "Alpha.\n",
    "docs/b.txt": "\uFEFFBeta.\n",
    "docs/secret.md": "Gamma.\n",
    "src/a.ts": "let x;\n",
  };
  const scope = { read_files: ["docs/**"], forbidden_files: ["docs/secret.md"] };
  const calling = (tool: string, args: object) => ({
    type: "tool-call",
    scope,
    input: { tool, args },
    tool_permissions: [tool],
  });
  const readable = ["docs/a.md", "docs/b.txt"];

  /** Each entry names a file as it lies there. */
  const expectHashes = async (workspace: TestWorkspace, reads: readonly { path: string; sha256: string }[] = []) => {
    for (const read of reads)
      expect(read).toEqual({ path: read.path, sha256: sha256(await readFile(join(workspace.root, read.path))) });
  };

  test.each([
    ["fs.read", { path: "docs/b.txt" }, ["docs/b.txt"]],
    ["fs.search", { pattern: "nothing of this" }, readable],
    ["sources.search", { query: "alpha" }, readable],
    ["fs.list", {}, undefined],
  ])("%s says which files it read, with the hash that each has", async (tool, args, paths) => {
    const workspace = await workspaceWith({ files });
    const { result, events } = await flowRun(workspace, calling(tool, args));
    expect(result.status).toBe("success");
    const ended = events.find(({ type }) => type === "tool.result");
    if (ended?.type !== "tool.result") throw new Error("no tool was called");
    const { reads, reads_count, reads_hash } = ended.payload;
    expect(reads?.map(({ path }) => path)).toEqual(paths);
    await expectHashes(workspace, reads);
    expect([reads_count, reads_hash]).toEqual(
      reads ? [reads.length, sha256(canonicalJson(reads))] : [undefined, undefined],
    );
    const evidence = await ledger(workspace, result.session_id, "evidence");
    expect(evidence.includes(reads_hash ?? "reads_hash")).toBe(reads !== undefined);
    expect((await cliWith({ cwd: workspace.root }, "session", "verify", result.session_id ?? "")).status).toBe(0);
  });

  test("a search that reads more files than an event lists counts and hashes all of them", async () => {
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`docs/${index}.md`, `${index}\n`]));
    const workspace = await workspaceWith({ files: many });
    const { events } = await flowRun(workspace, calling("fs.search", { pattern: "nothing of this" }));
    const ended = events.find(({ type }) => type === "tool.result");
    const paths = Object.keys(many).toSorted();
    expect(ended?.payload).toMatchObject({
      reads_count: 300,
      reads_hash: sha256(canonicalJson(paths.map((path) => ({ path, sha256: sha256(many[path] ?? "") })))),
    });
    expect((ended?.payload as { reads?: object[] } | undefined)?.reads).toHaveLength(256);
  });

  test("context names every file that was read for it, also one of which nothing was given", async () => {
    const workspace = await workspaceWith({
      files: { ...files, "AGENTS.md": "\uFEFFBe brief.\n" },
      config: { context_files: ["AGENTS.md", "docs/*"], v2_features: { aperture_enabled: true } },
    });
    const { events } = await flowRun(workspace, { scope: { ...scope, read_files: ["docs/**", "AGENTS.md"] } });
    const { reads, fragments, reads_count } = assembled(events);
    expect(reads?.map(({ path }) => path)).toEqual(["AGENTS.md", ...readable]);
    expect(reads_count).toBe(3);
    await expectHashes(workspace, reads);
    for (const { origin, source_hash } of fragments.filter(({ origin }) => origin.startsWith("file:")))
      expect(reads).toContainEqual({ path: origin.replace(/^file:|#.*$/g, ""), sha256: source_hash });
    expect(sent(events)).not.toContain("\uFEFF");
  });

  test("a turn says which files its program could see, as patterns with a hash", async () => {
    const workspace = await workspaceWith({ files });
    const { events } = await flowRun(workspace, calling("exec", { command: ["/bin/sh", "-c", "cat docs/*"] }));
    const started = events.find(({ type }) => type === "turn.started");
    const set = { read: [["docs/**"], ["**", "**"]], forbidden: ["docs/secret.md"] };
    expect(started?.payload).toMatchObject({ visible: { ...set, hash: sha256(canonicalJson(set)) } });
  });

  describe("gate G3", () => {
    const gate = async (workspace: TestWorkspace) => {
      const { text } = await cliWith({ cwd: workspace.root }, "gate", "check", "--all", "--json");
      const { gates } = JSON.parse(text) as {
        gates: { gate: string; checked: number; findings: { message: string }[] }[];
      };
      const found = gates.find(({ gate }) => gate === "G3");
      return { checked: found?.checked, findings: found?.findings.map(({ message }) => message) };
    };
    /** A session that says of itself what `forged` says, under the mandate of a real one. */
    const forge = async (workspace: TestWorkspace, events: Events, forged: readonly EventInput[]) => {
      const session = valueOf(await workspace.runtime.log.create({ tier: "ho1" }));
      for (const { type, actor, payload } of events.filter(
        ({ type }) => type === "session.start" || type === "wo.started",
      ))
        valueOf(await session.append({ type, actor, payload } as EventInput));
      for (const event of forged) valueOf(await session.append(event));
    };
    const result = (path: string): EventInput => ({
      type: "tool.result",
      actor: "tool",
      payload: {
        call_id: "c1",
        name: "fs.read",
        attempt: 1,
        status: "ok",
        result_hash: sha256(""),
        duration_ms: 1,
        reads: [{ path, sha256: sha256("") }],
        reads_count: 1,
        reads_hash: sha256(""),
      },
    });

    test("weighs what was read", async () => {
      const workspace = await workspaceWith({ files });
      const { events } = await flowRun(workspace, calling("fs.search", { pattern: "Alpha" }));
      expect(await gate(workspace)).toEqual({ checked: 2, findings: [] });
      await forge(workspace, events, [result("docs/a.md"), result("docs/secret.md"), result("src/a.ts")]);
      const { checked, findings } = await gate(workspace);
      expect(checked).toBe(5);
      expect(findings).toEqual([
        expect.stringMatching(/^it read docs\/secret\.md: .*\(scope\.forbidden_files\) forbids docs\/secret\.md$/),
        expect.stringMatching(/^it read src\/a\.ts: .*\(scope\.read_files\) names docs\/\*\*/),
      ]);
    });

    test("shuts for a program that could see more than its mandate", async () => {
      const workspace = await workspaceWith({ files });
      const { events } = await flowRun(workspace, calling("exec", { command: ["/bin/true"] }));
      expect((await gate(workspace)).findings).toEqual([]);
      const started = events.find(({ type }) => type === "turn.started");
      if (started?.type !== "turn.started") throw new Error("no turn ran");
      const visible = { read: [["**"]], forbidden: ["docs/secret.md"], hash: sha256("") };
      await forge(workspace, events, [
        { type: "turn.started", actor: "turns", payload: { ...started.payload, visible } },
      ]);
      expect((await gate(workspace)).findings).toEqual([expect.stringContaining("could see more than its mandate")]);
    });
  });
});

test("a criterion sees what the order may read, whatever programs the order limits", async () => {
  const workspace = await workspaceWith({
    files: { "docs/a.md": "Alpha.\n", "docs/b.md": "Beta.\n", "src/a.ts": "let x;\n" },
  });
  const checks = [{ name: "look", command: ["/bin/sh", "-c", "cat docs/*; cat docs/b.md src/a.ts; true"] }];
  const { result } = await flowRun(workspace, {
    schema_version: "v2",
    scope: { read_files: ["docs/**"], forbidden_files: ["docs/b.md"], programs: ["/bin/false"] },
    acceptance: { checks },
  });
  expect(result.status).toBe("success");
  expect(result.validation_result?.gate_results).toMatchObject([{ gate: "look", stdout: "Alpha.\n" }]);
});

async function ledger(workspace: TestWorkspace, session_id: string | null | undefined, which: string): Promise<string> {
  const name = (await readdir(workspace.root, { recursive: true })).find(
    (path) => path.includes(`${session_id}`) && path.endsWith(`ledger/${which}.jsonl`),
  );
  return readFile(join(workspace.root, name ?? "no ledger"), "utf8");
}

describe("the order of a request", () => {
  const explained = async (workspace: TestWorkspace, ...more: readonly string[]) => {
    const { status, text } = await cliWith({ cwd: workspace.root }, "run", "greet Ada", "--explain", "--json", ...more);
    return { status, ...(JSON.parse(text) as { work_order: WorkOrder; mandate: MandateV1; granted: boolean }) };
  };

  test("grants what the configuration says, and --explain shows it without acting", async () => {
    const workspace = await workspaceWith();
    const { status, work_order, mandate } = await explained(workspace, "--allow", "src/**");
    expect(status).toBe(0);
    expect(work_order.scope).toEqual({ allowed_files: ["output/**", "notes/**", "src/**"], read_files: ["**"] });
    expect(mandate.work_order_id).toBe(work_order.work_order_id);
    expect(JSON.parse((await cliWith({ cwd: workspace.root }, "session", "list", "--json")).text)).toMatchObject({
      total: 0,
    });
    const shown = await cliWith({ cwd: workspace.root }, "run", "greet Ada", "--explain");
    expect(shown.text).toContain("prompt: greet Ada");
    expect(shown.text).toMatch(
      /may be read .*\n {2}work order WO-\S+ \(scope\.read_files, scope\.allowed_files\): \*\*, output/,
    );
  });

  test("reads and writes where `request` in writ.yaml says, and nowhere else", async () => {
    const request = { allowed_files: ["drafts/**"], read_files: ["docs/**"] };
    const files = { "docs/a.md": "Alpha.\n", "notes/b.md": "Beta.\n" };
    const workspace = await workspaceWith({ config: { request }, files });
    expect((await explained(workspace)).work_order.scope).toEqual(request);
    const call = async (tool: string, args: object) =>
      (await cliWith({ cwd: workspace.root }, "tool", "call", tool, JSON.stringify(args))).status;
    expect(await call("fs.read", { path: "docs/a.md" })).toBe(0);
    expect(await call("fs.read", { path: "notes/b.md" })).toBe(3);
    expect(await call("fs.write", { path: "notes/c.md", content: "c", expected_hash: "", why: "a test" })).toBe(3);
    expect(await call("fs.write", { path: "drafts/c.md", content: "c", expected_hash: "", why: "a test" })).toBe(0);
  });
});
