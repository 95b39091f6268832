import { stringify } from "yaml";
import { mcpToolName } from "../../src/effects/mcp/tool-name.ts";
import type { HostileServer } from "../support/mcp.ts";

/** What would run if any page took it for HTML, followed by the name of the field that it came in by. */
export const attack = "<img src=x onerror=alert(1)>";
const hostile = (field: string) =>
  `"'><svg onload=alert(2)></svg><script>alert(3)</script>[x](javascript:alert(4))${attack}[${field}]`;
export const trace = (field: string) => `${attack}[${field}]`;

/**
 * Every field that a model, a tool, a server, a file, its name or a person can fill, and the pages on which the studio
 * shows it. What the contracts leave no room for (ids of cycles, phases, personas, suites, cases, schemas, orders) is not
 * here: a name with a `<` is refused where it would come in.
 */
export const fields = {
  // A person.
  "a person's prompt": ["session", "sessions", "home", "palette"],
  "a person's name": ["home", "settings", "failed session"],
  "the name of a role": ["settings"],
  "what an order may write": ["session"],
  "an approval's path": ["inbox"],
  "an approval's content": ["inbox"],
  "an approval's reason": ["inbox", "waiting session"],
  "a decision's reason": ["inbox", "session"],
  "a run's objective": ["run", "runs", "palette"],
  "a value in writ.yaml": ["settings"],
  // A model.
  "the lead's intent": ["session", "compare"],
  "a step of the plan": ["session", "compare"],
  "an argument of a tool": ["session", "compare"],
  "the worker's output": ["session", "compare"],
  "the reviewer's feedback": ["session", "compare"],
  "a finding's title": ["review session", "workflow", "backtest"],
  "a provider's error": ["failed session"],
  "the name of a model": ["session"],
  // A tool, and a server that offers some.
  "the result of a tool": ["session", "compare"],
  "the result of an MCP tool": ["tool session"],
  "the name of an MCP tool": ["inbox"],
  "the title of an MCP tool": ["inbox"],
  "the description of an MCP tool": ["inbox"],
  "the description of an argument": ["inbox"],
  // A file or its name.
  "a hook's reason": ["session"],
  "the name of a hook's file": ["policies", "session", "backtest"],
  "a hook's matcher": ["policies"],
  "the context that agents read": ["session"],
  "a skill's trigger": ["tool session"],
  "a skill's text": ["tool session"],
  "the name of a skill's folder": ["tool session"],
  "the name of a quarantined file": ["inbox", "turn session"],
  "the name of a file": ["run"],
  "a heading in a file": ["run"],
  "a passage in a file": ["run"],
  "a cycle's title": ["workflow", "workflows"],
  "a cycle's description": ["workflow"],
  "the name of a broken cycle's file": ["workflows"],
  "a phase's title": ["workflow"],
  "a policy's title": ["policies", "workflow"],
  "a policy's expression": ["workflow"],
  "a policy's reason": ["workflow", "review session"],
  "a draft's reason": ["backtest"],
  "a draft's expression": ["backtest"],
  "a grader's name": ["evals"],
  "a grader's expression": ["evals"],
} as const satisfies Readonly<Record<string, readonly string[]>>;
export type Field = keyof typeof fields;
export const of = (field: Field): string => hostile(field);
const named = (field: Field): string => trace(field);

/** A server of one tool, whose every word is hostile; and what Writ calls it. */
export const kettle = {
  tool: mcpToolName("kettle", hostile("the name of an MCP tool")),
  control: (description: string) => ({
    tools: [
      {
        name: hostile("the name of an MCP tool"),
        title: hostile("the title of an MCP tool"),
        description,
        inputSchema: {
          type: "object",
          properties: { cups: { type: "number", description: hostile("the description of an argument") } },
        },
      },
    ],
    result: { content: [{ type: "text", text: hostile("the result of an MCP tool") }] },
  }),
};

/** It promises one file and writes another. */
export const sneakyTurn = {
  package_id: "PKG-HOSTILE",
  turn_number: 1,
  query: {},
  declared_inputs: [],
  declared_outputs: [{ path: "output/<session_id>/report.md" }],
  capabilities: { write: ["output/<session_id>/**"] },
  handler: {
    command: [
      "sh",
      "-c",
      `echo fine > "$WRIT_OUTPUT_DIR/report.md"; echo more > "$WRIT_OUTPUT_DIR/${trace("the name of a quarantined file")}"`,
    ],
  },
};

const lookHook = `hooks/${trace("the name of a hook's file")}.mjs`;
export const hostileFiles = (server: Pick<HostileServer, "args" | "rights">): Readonly<Record<string, string>> => ({
  "writ.yaml": stringify({
    version: 1,
    provider: "scripted",
    model: of("the name of a model"),
    script: "script.yaml",
    identity: {
      local_caller: of("a person's name"),
      callers: {
        "ada@example.org": { roles: ["operator"] },
        [of("a person's name")]: { roles: ["admin", of("the name of a role")] },
      },
      roles: { [of("the name of a role")]: { grants: [] } },
      dev: { effects: ["turn"] },
    },
    mcp: {
      servers: {
        kettle: {
          command: process.execPath,
          args: [...server.args, of("a value in writ.yaml")],
          rights: server.rights,
        },
      },
    },
    hooks: {
      PreToolUse: [{ matcher: "fs.write", hooks: [{ type: "module", module: "hooks/ask.mjs", timeout: 5 }] }],
      PostToolUse: [
        { matcher: "fs.read", hooks: [{ type: "module", module: lookHook, timeout: 5 }] },
        { matcher: named("a hook's matcher"), hooks: [{ type: "module", module: lookHook, timeout: 5 }] },
      ],
    },
  }),
  "hooks/ask.mjs": `export default () => (${JSON.stringify({ decision: "ask", reason: of("an approval's reason") })});`,
  [lookHook]: `export default () => (${JSON.stringify({ decision: "allow", reason: of("a hook's reason") })});`,
  "AGENTS.md": `# Agents\n\n${of("the context that agents read")}\n`,
  "script.yaml": stringify({
    rules: [
      {
        when: { prompt: "break" },
        respond: { error: { status: 400, code: "BAD", message: of("a provider's error") } },
      },
      {
        when: { role: "lead", prompt: "note" },
        respond: {
          json: { intent: of("the lead's intent"), constraints: [], needs_advisor: false, schema_version: "v1" },
        },
      },
      {
        when: { role: "planner", prompt: "note" },
        respond: {
          json: {
            steps: [{ id: "s1", description: of("a step of the plan"), depends_on: [] }],
            risks: [],
            needs_advisor: false,
            schema_version: "v1",
          },
        },
      },
      {
        when: { role: "worker", prompt: "note", call: 1 },
        respond: {
          tool_calls: [
            { name: "fs.read", args: { path: "docs/read.md" } },
            { name: "fs.search", args: { pattern: trace("an argument of a tool") } },
          ],
        },
      },
      {
        when: { role: "worker", prompt: "note", call: 2 },
        respond: {
          tool_calls: [
            {
              name: "fs.write",
              args: {
                path: `notes/${attack}[an approval's path].md`,
                content: of("an approval's content"),
                expected_hash: "",
                why: "so that it is known",
              },
            },
          ],
        },
      },
      {
        when: { role: "worker", prompt: "note" },
        respond: { json: { output: of("the worker's output"), steps_completed: ["s1"], schema_version: "v1" } },
      },
      {
        when: { role: "reviewer", prompt: "note" },
        respond: { json: { verdict: "pass", feedback: of("the reviewer's feedback"), schema_version: "v1" } },
      },
      {
        when: { role: "worker", prompt: "heat", call: 1 },
        respond: { tool_calls: [{ name: kettle.tool, args: { cups: 2 } }] },
      },
      {
        when: { persona: "correctness" },
        respond: {
          json: {
            findings: [
              {
                title: of("a finding's title"),
                severity: "P2",
                confidence: 75,
                file: "docs/read.md",
                line: 1,
                category: "logic",
              },
            ],
            files: ["docs/read.md"],
            schema_version: "v1",
          },
        },
      },
    ],
  }),
  // Carried out by roles, so that each of them has its say.
  "skills/write-note/SKILL.md": `---\n${stringify({
    name: "write-note",
    description: "Writes a note.",
    triggers: ["write a note"],
    "allowed-tools": ["fs.read", "fs.list", "fs.search", "fs.write"],
    strategy: "plan-work-review",
  })}---\n\nWrite the note.\n`,
  "skills/boil/SKILL.md": `---\n${stringify({
    name: "boil",
    description: hostile("a skill's description, which no page shows"),
    triggers: [named("a skill's trigger")],
    "allowed-tools": ["kettle.*"],
    version: 1,
    schema_version: "v1",
  })}---\n\n${of("a skill's text")}\n`,
  [`skills/${named("the name of a skill's folder")}/SKILL.md`]: "---\nname: other\n---\n\nNo skill.\n",
  "turn.json": JSON.stringify(sneakyTurn),
  "evals/hostile.yaml": stringify({
    id: "hostile",
    cases: [
      {
        id: "one",
        input: { prompt: "greet Ada" },
        graders: [
          {
            kind: "cel",
            name: of("a grader's name"),
            expression: `output == ${JSON.stringify(trace("a grader's expression"))}`,
          },
        ],
      },
    ],
  }),
  "docs/read.md": `# Tea\n\n${of("the result of a tool")} is read by the worker of a note, and is long enough to be prose.\n`,
  [`docs/${attack}[the name of a file].md`]: `# Kettles\n\n## ${trace("a heading in a file")} of kettles\n\nA kettle ${trace("a passage in a file")} boils water for tea, and there is no other way to boil water for it.\n`,
  "workflows/cycles/hostile.md": `---\n${stringify({
    id: "hostile",
    title: of("a cycle's title"),
    description: of("a cycle's description"),
    phases: ["hostile-phase"],
    entry_phase: "hostile-phase",
    policies: ["hostile-policy"],
    loop_bounds: { max_phase_visits: 2 },
    mode: "report-only",
    version: 1,
    schema_version: "v1",
  })}---\n\n# Hostile\n`,
  "workflows/phases/hostile-phase.md": `---\n${stringify({
    id: "hostile-phase",
    title: of("a phase's title"),
    advance_signal: "true",
    agents_invoked: ["correctness"],
    schema_version: "v1",
  })}---\n\nLook.\n`,
  "workflows/policies/hostile-policy.md": `---\n${stringify({
    id: "hostile-policy",
    title: of("a policy's title"),
    kind: "severity-routing",
    rules: [
      {
        when: `finding.severity == 'P2' && finding.title != ${JSON.stringify(named("a policy's expression"))}`,
        then: "advisory",
        reason: of("a policy's reason"),
      },
    ],
    default: "advisory",
    version: 1,
    schema_version: "v1",
  })}---\n\nText.\n`,
});

/** The policy above, stricter: what an address may bring along. */
export const hostileDraft = `---\n${stringify({
  id: "hostile-policy",
  kind: "severity-routing",
  rules: [
    {
      when: `finding.title != ${JSON.stringify(named("a draft's expression"))}`,
      then: "deny",
      reason: of("a draft's reason"),
    },
  ],
  default: "advisory",
  version: 1,
  schema_version: "v1",
})}---\n\nText.\n`;

/** No cycle: while it is there no other one runs. */
export const brokenCycle = {
  path: `workflows/cycles/${named("the name of a broken cycle's file")}.md`,
  text: "---\nid: broken\n---\n\nNo cycle.\n",
};
