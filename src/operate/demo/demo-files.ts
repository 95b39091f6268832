/** What a demo workspace holds beyond an empty one. Each file shows one thing, and is meant to be edited. */
export const demoFiles: Readonly<Record<string, string>> = {
  "writ.yaml": `# The law of the demo workspace. \`writ config show\` prints what is in force.
version: 1
provider: scripted
script: script.yaml
max_concurrent_flows: 4
workspace_budget: { token_limit: 1000000, usd_limit: 5 }

# Somebody whose requests you decide about: nobody approves what they asked for themselves.
identity:
  callers:
    ada@example.org: { roles: [operator] }
  # The demo runs a turn of its own with --dev; without this line that mode runs no real effect.
  dev: { effects: [turn] }

hooks:
  PreToolUse:
    - matcher: "fs.write"
      hooks: [{ type: module, module: "hooks/ask-before-notes.mjs", timeout: 5 }]
`,
  "hooks/ask-before-notes.mjs": `/** Notes are shared: somebody else looks before one is written. */
export default ({ args }) =>
  String(args.path).startsWith("notes/")
    ? { decision: "ask", reason: "notes are shared; somebody else looks first" }
    : { decision: "allow", reason: "not a note" };
`,
  "script.yaml": `# What the scripted model says. The first rule that matches answers; without one it follows the roles by itself.
rules:
  - when: { role: worker, call: 1, prompt: "(?i)change the law" }
    respond: { tool_calls: [{ name: fs.write, args: { path: writ.yaml, content: "version: 1", expected_hash: "", why: "tidy up" } }] }
  - when: { role: worker, call: 1, prompt: "(?i)note about green tea" }
    respond: { tool_calls: [{ name: fs.write, args: { path: notes/tea.md, content: "Green tea: 75 degrees, two minutes.\\n", expected_hash: "", why: "keep what was asked" } }] }
  - when: { persona: correctness }
    respond: { json: { findings: [{ title: "The timer counts from the wrong moment", severity: P1, confidence: 75, file: docs/kettle.md, line: 3, category: logic }, { title: "The dial does not say what 75 degrees are for", severity: P3, confidence: 75, file: docs/kettle.md, line: 5, category: clarity }], files: [docs/kettle.md], schema_version: v1 } }
`,
  "workflows/policies/severity-gate.md": `---
id: severity-gate
title: A stricter gate that only watches
kind: severity-routing
shadow: true
rules:
  - when: finding.severity in ['P0', 'P1'] && finding.resolved != true
    then: deny
    reason: something serious is open
default: advisory
schema_version: v1
---

Its decisions are recorded beside those of the gate in force, and change nothing. Take \`shadow: true\` out to put it in force.
`,
  "evals/greet.yaml": `id: greet
description: people are greeted by name
cases:
  - id: by-name
    input: { prompt: "greet Ada" }
    expected: "Hello, Ada"
    graders: [{ kind: expected }, { kind: cel, name: cheap, expression: "tokens.total < 5000" }]
  - id: at-length
    input: { prompt: "greet Grace" }
    graders: [{ kind: cel, name: long-enough, expression: "output.size() > 40" }]
`,
  "AGENTS.md": `# What agents read first

This is a kitchen. Notes are short, in plain words, and name the temperature in degrees Celsius.
Nothing in \`writ.yaml\` is changed by an agent: it is the law of this workspace.
`,
  "docs/tea.md": `# Tea

## Green tea

Green tea wants water of about 75 degrees and two minutes. Hotter water makes it bitter.

## Black tea

Black tea takes boiling water and three to five minutes. It can stand milk.

## Keeping it

Tea loses its scent in light and air. A tin in a dark cupboard keeps it for a year.
`,
  "docs/kettle.md": `# The kettle

## Heating water for tea

The kettle has a dial for the temperature. At 75 degrees, for green tea, a litre takes two minutes; at 100 degrees, for a
cup of black tea, it takes four.

## Cleaning the kettle

Descale the kettle once a month, or the tea tastes of chalk: half vinegar, half water, then rinse twice.
`,
  "docs/water.md": `# Water

## Water for a cup of tea

Soft water makes a clear cup of tea. Hard water leaves a film on the cup and hides the scent: let it run through a filter.

## How much

A good cup holds two hundred millilitres and wants one spoon of tea.
`,
};
