import { describe, expect, test } from "vitest";
import { shippedRegistry } from "#core/contracts";
import { memoryFiles } from "../../../test/support/memory-files.ts";
import { createWorkflows } from "./registry.ts";

const review = {
  "/w/workflows/cycles/review.md": `---
id: review
phases: [look]
entry_phase: look
policies: [gate]
schema_version: v1
---
A review.
`,
  "/w/workflows/phases/look.md": `---
id: look
advance_signal: review_aggregate.p0_unresolved == 0
agents_invoked: [security, { persona: style, optional: true }]
schema_version: v1
---
Look at the change.
`,
  "/w/workflows/policies/gate.md": `---
id: gate
kind: severity-routing
rules:
  - { when: finding.severity == 'P0', then: deny, reason: a P0 stops everything }
default: allow
schema_version: v1
---
`,
  "/w/workflows/personas/reviewer/security.md":
    "---\nname: security\ndescription: Finds holes.\nallowed-tools: Read Grep\n---\nLook for holes.\n",
  "/w/workflows/personas/reviewer/style.md": "---\nname: style\ndescription: Sees style.\n---\nLook at style.\n",
};

function inspect(files: Readonly<Record<string, string>>) {
  const workflows = createWorkflows({
    files: memoryFiles(files),
    schemas: shippedRegistry(),
    roots: [
      { origin: "workspace", folder: "/w" },
      { origin: "shipped", folder: "/shipped" },
    ],
  });
  return workflows;
}

async function problemsOf(changes: Readonly<Record<string, string | null>>) {
  const files: Record<string, string> = { ...review };
  for (const [path, text] of Object.entries(changes)) {
    if (text === null) delete files[path];
    else files[path] = text;
  }
  const inspected = await inspect(files).inspect();
  if (!inspected.ok) throw new Error(inspected.error.message);
  return inspected.value.problems;
}

const change = (path: keyof typeof review, from: string, to: string) => ({ [path]: review[path].replace(from, to) });

describe("the registry of workflows", () => {
  test("links a cycle that is nothing but Markdown", async () => {
    const registry = await inspect(review).registry();
    expect(registry).toMatchObject({ ok: true });
    const cycle = registry.ok && registry.value.cycle("review");
    expect(cycle).toMatchObject({
      ok: true,
      value: { id: "review", entry: { id: "look" }, policies: [{ id: "gate" }] },
    });
    expect(
      cycle &&
        cycle.ok &&
        cycle.value.phases[0]?.agents.map(({ persona, optional }) => [persona.id, persona.definition.tools, optional]),
    ).toEqual([
      ["security", ["fs.read", "fs.search"], false],
      ["style", [], true],
    ]);
  });

  test("denies a cycle that is not registered", async () => {
    const registry = await inspect(review).registry();
    expect(registry.ok && registry.value.cycle("reveiw")).toMatchObject({
      ok: false,
      error: { code: "WORKFLOW_UNKNOWN_ID", message: 'no cycle "reveiw" is registered; did you mean "review"?' },
    });
  });

  test.each([
    [
      "an unknown phase",
      change("/w/workflows/cycles/review.md", "phases: [look]", "phases: [lok]"),
      "unknown-phase",
      3,
    ],
    ["an unknown policy", change("/w/workflows/cycles/review.md", "[gate]", "[gaet]"), "unknown-policy", 5],
    ["an unknown persona", change("/w/workflows/phases/look.md", "[security,", "[securty,"), "unknown-persona", 4],
    [
      "an unknown artifact",
      change("/w/workflows/phases/look.md", "schema_version", "artifacts: [report]\nschema_version"),
      "unknown-artifact",
      5,
    ],
    [
      "an unknown schema",
      change("/w/workflows/phases/look.md", "schema_version", "output_schema: nothing_v1\nschema_version"),
      "unknown-schema",
      5,
    ],
    [
      "bad frontmatter",
      change("/w/workflows/phases/look.md", "advance_signal", "advance_sginal"),
      "bad-frontmatter",
      2,
    ],
    ["YAML that is none", change("/w/workflows/phases/look.md", "id: look", "id: [look"), "bad-frontmatter", 3],
    [
      "an id that is not its file's",
      change("/w/workflows/phases/look.md", "id: look", "id: watch"),
      "id-is-not-its-place",
      2,
    ],
    ["a file in no place", { "/w/workflows/cycles/notes.txt": "hello" }, "stray-file", 1],
    [
      "a role that is none",
      { "/w/workflows/personas/wizard/merlin.md": "---\nname: merlin\ndescription: x\n---\n" },
      "unknown-role",
      1,
    ],
  ])("refuses %s, with its line and a way out", async (_, changes, rule, line) => {
    const problems = await problemsOf(changes);
    expect(problems.find((problem) => problem.rule === rule)).toMatchObject({
      rule,
      line,
      hint: expect.stringMatching(/.+/),
    });
  });

  test("refuses personas that dispatch each other in a circle", async () => {
    const persona = (name: string, other: string) => `---\nname: ${name}\ndescription: x\npersonas: [${other}]\n---\n`;
    const problems = await problemsOf({
      "/w/workflows/personas/reviewer/security.md": persona("security", "style"),
      "/w/workflows/personas/reviewer/style.md": persona("style", "security"),
    });
    expect(problems.map(({ rule, message }) => [rule, message])).toContainEqual([
      "circular-reference",
      expect.stringContaining("security → style → security"),
    ]);
  });

  const plain = (id: string, phase: string) =>
    `---\nid: ${id}\nphases: [${phase}]\nentry_phase: ${phase}\nschema_version: v1\n---\n`;

  test("a broken file is named, and takes with it the cycles that need it and no other", async () => {
    const files = {
      ...review,
      "/w/workflows/cycles/other.md": plain("other", "wait"),
      "/w/workflows/phases/wait.md": review["/w/workflows/phases/look.md"]
        .replace("id: look", "id: wait")
        .replace(/^policies.*\n/m, ""),
      "/w/workflows/cycles/torn.md": "---\nid: [torn\n---\n",
      ...change("/w/workflows/policies/gate.md", "rules:", "ruels:"),
    };
    const registry = await inspect(files).registry();
    if (!registry.ok) throw new Error(registry.error.message);
    expect(registry.value.list().map(({ id }) => id)).toEqual(["other"]);
    expect(registry.value.problems.map(({ file }) => file)).toContain("workflows/cycles/torn.md");
    const left = registry.value.cycle("review");
    expect(left).toMatchObject({ ok: false, error: { code: "WORKFLOW_INVALID" } });
    expect(left.ok ? "" : left.error.message).toMatch(
      /review\.md:5: it needs the policy gate, and workflows\/policies\/gate\.md has a problem/,
    );
    expect(registry.value.cycle("torn")).toMatchObject({ ok: false, error: { code: "WORKFLOW_INVALID" } });
    expect(registry.value.cycle("nothing")).toMatchObject({ ok: false, error: { code: "WORKFLOW_UNKNOWN_ID" } });
  });

  test("nothing stands in for a broken file: the shipped policy of its id would be another law", async () => {
    const shipped = Object.fromEntries(
      Object.entries(review).map(([path, text]) => [path.replace("/w/", "/shipped/"), text]),
    );
    const broken = { ...shipped, "/w/workflows/policies/gate.md": "---\nid: gate\n---\n" };
    const registry = await inspect(broken).registry();
    expect(registry.ok && registry.value.list()).toEqual([]);
    expect(registry.ok && registry.value.index.policies.has("gate")).toBe(false);
    const twice = { ...review, "/w/workflows/personas/worker/style.md": "---\nname: style\ndescription: x\n---\n" };
    const doubled = await inspect(twice).registry();
    expect(doubled.ok && doubled.value.list()).toEqual([]);
  });

  test("lists all problems at once", async () => {
    const files = {
      ...review,
      ...change("/w/workflows/cycles/review.md", "[gate]", "[gaet]"),
      ...change("/w/workflows/phases/look.md", "p0_unresolved == 0", "p0_unresolved =="),
    };
    const registry = await inspect(files).registry();
    const cycle = registry.ok ? registry.value.cycle("review") : registry;
    expect(cycle).toMatchObject({ ok: false, error: { code: "WORKFLOW_INVALID" } });
    expect(!cycle.ok && cycle.error.message).toMatch(/workflows\/cycles\/review\.md:5: .*gaet.*did you mean "gate"/);
    expect(!cycle.ok && cycle.error.message).toMatch(/workflows\/phases\/look\.md:3: /);
  });

  test("takes the workspace's definition before the shipped one", async () => {
    const shipped = Object.fromEntries(
      Object.entries(review).map(([path, text]) => [path.replace("/w/", "/shipped/"), text]),
    );
    const files = {
      ...shipped,
      "/w/workflows/personas/reviewer/style.md": review["/w/workflows/personas/reviewer/style.md"],
    };
    const registry = await inspect(files).registry();
    const cycle = registry.ok && registry.value.cycle("review");
    expect(cycle && cycle.ok && cycle.value.definitions.map(({ file }) => file)).toEqual([
      "workflows/personas/reviewer/style.md",
      "writ:workflows/cycles/review.md",
      "writ:workflows/personas/reviewer/security.md",
      "writ:workflows/phases/look.md",
      "writ:workflows/policies/gate.md",
    ]);
  });

  test("a shadow of a shipped policy stands beside it and takes nothing away", async () => {
    const shipped = Object.fromEntries(
      Object.entries(review).map(([path, text]) => [path.replace("/w/", "/shipped/"), text]),
    );
    const files = { ...shipped, ...change("/w/workflows/policies/gate.md", "then: deny", "then: apply\n    ") };
    files["/w/workflows/policies/gate.md"] = review["/w/workflows/policies/gate.md"].replace(
      "default: allow",
      "default: allow\nshadow: true",
    );
    const registry = await inspect(files).registry();
    const cycle = registry.ok && registry.value.cycle("review");
    expect(
      cycle && cycle.ok && cycle.value.policies.map(({ shadow, definition }) => [shadow, definition.origin]),
    ).toEqual([
      [false, "shipped"],
      [true, "workspace"],
    ]);
  });

  test("reads subagent files as personas, and is not stopped by one that is none", async () => {
    const files = {
      ...review,
      "/w/.claude/agents/perf-auditor.md":
        "---\nname: perf-auditor\ndescription: Audits performance\ntools: Read, Grep, Bash\nmodel: sonnet\ncolor: red\n---\nLook for loops.\n",
      "/w/.claude/agents/broken.md": "no frontmatter at all",
      ...change("/w/workflows/phases/look.md", "[security,", "[perf-auditor,"),
    };
    const inspected = await inspect(files).inspect();
    expect(inspected).toMatchObject({
      ok: true,
      value: { problems: [], skipped: [{ file: ".claude/agents/broken.md" }] },
    });
    const persona = inspected.ok ? inspected.value.index.personas.get("perf-auditor") : undefined;
    expect(persona).toMatchObject({ role: { kind: "reviewer" }, tools: ["fs.read", "fs.search", "exec"] });
  });

  test("a subagent is named by its head, loses its disallowed tools, and replaces nothing that Writ ships", async () => {
    const files = {
      ...review,
      "/shipped/workflows/personas/planner/architect.md": "---\nname: architect\ndescription: Plans.\n---\nPlan.\n",
      "/w/.claude/agents/team/arch.md":
        "---\nname: architect\ndescription: Use when: plans are needed\ntools: Read, Bash\ndisallowedTools: Bash\npermissionMode: bypassPermissions\nmaxTurns: 4\n---\nDraw.\n",
      "/w/.claude/agents/other.md": "---\nname: Code Cleaner\ndescription: Cleans\n---\nClean.\n",
      "/w/.claude/agents/plans.md":
        "---\nname: plans\ndescription: Plans\ntools: Read, Edit, Write, Bash\npermissionMode: plan\n---\nPlan.\n",
      "/w/.claude/agents/style.md": "---\nname: style\ndescription: Another style\n---\nStyle.\n",
      "/w/.claude/plugins/kit/agents/helper.md": "---\nname: helper\ndescription: Helps\ntools: Grep\n---\nHelp.\n",
    };
    const inspected = await inspect(files).inspect();
    if (!inspected.ok) throw new Error(inspected.error.message);
    const { index, skipped, problems } = inspected.value;
    expect(problems).toEqual([]);
    expect(index.personas.get("architect")).toMatchObject({ origin: "shipped", role: { kind: "planner" } });
    expect(index.personas.get("claude-architect")).toMatchObject({ tools: ["fs.read"] });
    expect(index.personas.get("plans")).toMatchObject({ tools: ["fs.read"] });
    expect(index.personas.get("code-cleaner")).toMatchObject({ file: ".claude/agents/other.md" });
    expect(index.personas.get("style")).toMatchObject({ file: "workflows/personas/reviewer/style.md" });
    expect(index.personas.get("helper")).toMatchObject({ tools: ["fs.search"] });
    expect(skipped.map(({ file, rule }) => [file, rule])).toEqual([
      [".claude/agents/other.md", "name-is-not-its-file"],
      [".claude/agents/style.md", "second-of-its-name"],
      [".claude/agents/team/arch.md", "name-of-a-shipped-persona"],
    ]);
  });
});

describe("the anti-patterns of L8, each refused in its own words", () => {
  test.each([
    [
      "a persona inlined in a cycle",
      change(
        "/w/workflows/cycles/review.md",
        "schema_version",
        "personas: [{ name: x, prompt: look }]\nschema_version",
      ),
      "inlined-persona",
      /escapes audit, coverage and role-permissions/,
    ],
    [
      "a phase written out in a cycle",
      change("/w/workflows/cycles/review.md", "[look]", "[{ id: look }]"),
      "inlined-persona",
      /a phase is written out here/,
    ],
    [
      "a persona written out in a phase",
      change("/w/workflows/phases/look.md", "[security,", "[{ persona: x, prompt: look },"),
      "inlined-persona",
      /a persona is written out here/,
    ],
    [
      "a signal in natural language",
      change(
        "/w/workflows/phases/look.md",
        "review_aggregate.p0_unresolved == 0",
        "all the reviewers are happy with it",
      ),
      "prose-signal",
      /is prose, and a model's reading of it would decide/,
    ],
    [
      "a signal that is one word",
      change("/w/workflows/phases/look.md", "review_aggregate.p0_unresolved == 0", "ready"),
      "unknown-variable",
      /is a word, not an expression/,
    ],
    [
      "a policy inlined in a cycle",
      change("/w/workflows/cycles/review.md", "[gate]", "[{ when: 'true', then: allow }]"),
      "hard-coded-policy",
      /a policy is written out here/,
    ],
    [
      "code in a cycle",
      change("/w/workflows/cycles/review.md", "schema_version", "module: ./cycle.ts\nschema_version"),
      "code-in-a-definition",
      /a cycle is Markdown alone/,
    ],
    [
      "a cycle without audit",
      change("/w/workflows/cycles/review.md", "schema_version", "audit: false\nschema_version"),
      "skipped-audit",
      /is an event, without exception/,
    ],
    [
      "naming in prose",
      {
        "/w/workflows/artifacts/report-template.md":
          "---\nid: report\nnaming: the date and then the topic\nschema: plan_v1\nschema_version: v1\n---\n",
      },
      "prose-naming",
      /is a description, not a pattern/,
    ],
  ])("%s", async (_, changes, rule, message) => {
    const problems = await problemsOf(changes);
    const found = problems.find((problem) => problem.rule === rule);
    expect(found?.message ?? problems.map((each) => each.message).join()).toMatch(message);
    expect(found?.line).toBeGreaterThan(1);
  });
});
