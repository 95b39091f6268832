// Reads are effects: what an order may not read is in no context, and what was read is in the record with its hash.
import { describe, expect, onTestFinished, test } from "vitest";
import { sha256 } from "#core/values";
import type { FlowResult } from "#work";
import { cliWith } from "../support/fresh-cli.ts";
import { type TestWorkspace, testWorkspace, type WorkspaceOptions, workOrder } from "../support/runtime-workspace.ts";

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
