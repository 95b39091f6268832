// A new or changed rule judged over the recorded past: every decision that would have been different, and nothing called.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { BacktestReportV1, ShadowReportV1 } from "#core/contracts";
import type { Event } from "#log";
import { cli, cliJson } from "../support/cli.ts";
import {
  type CycleWorkspace,
  cycleWorkspace,
  definitions,
  finding,
  findings,
  made,
} from "../support/cycle-workspace.ts";
import { testWorkspace } from "../support/runtime-workspace.ts";

const gate = definitions["workflows/policies/tidy-gate.md"] ?? "";
let workspace: CycleWorkspace;
let cycle: string;
let greeting: string;
let events: readonly Event[];

beforeAll(async () => {
  workspace = await cycleWorkspace({
    rules: [
      {
        when: { persona: "maker", call: 1 },
        respond: {
          tool_calls: [
            { name: "fs.write", args: { path: "output/tidy/done.txt", content: "tidy", expected_hash: "", why: "x" } },
          ],
        },
      },
      { when: { persona: "maker" }, respond: made },
      {
        when: { persona: "sharp-eye", call: 1 },
        respond: findings(finding({ severity: "P1", confidence: 75 }), finding({ line: 9, title: "Lint" })),
      },
      { when: { persona: "sharp-eye" }, respond: findings(finding()) },
    ],
    config: {
      hooks: {
        PreToolUse: [{ matcher: "echo", hooks: [{ type: "module", module: "hooks/polite.mjs", id: "polite" }] }],
      },
    },
    files: {
      "hooks/polite.mjs": `export default () => ({ decision: "allow", reason: "echo is harmless" });`,
      "workflows/policies/tidy-watch.md": `---
id: tidy-watch
kind: severity-routing
shadow: true
rules:
  - { when: finding.severity == 'P1', then: deny, reason: the strict reading }
default: advisory
schema_version: v1
---
`,
      "workflows/cycles/tidy.md": (definitions["workflows/cycles/tidy.md"] ?? "").replace(
        "tidy-gate,",
        "tidy-gate, tidy-watch,",
      ),
    },
  });
  const ran = await workspace.run("tidy");
  expect(ran, ran.error ?? "").toMatchObject({ verdict: "done" });
  const greeted = await workspace.ask("greet Ada");
  expect(greeted).toMatchObject({ status: "success" });
  cycle = ran.session_id ?? "";
  greeting = greeted.session_id ?? "";
  events = await workspace.events(cycle);
  await workspace.runtime.close();
});
afterAll(async () => {
  await workspace.reopen();
  await workspace[Symbol.asyncDispose]();
});

const backtest = (...argv: readonly string[]) =>
  cliJson<BacktestReportV1>(workspace.root, "policy", "backtest", ...argv);
async function draft(name: string, text: string): Promise<string> {
  await workspace.write(`drafts/${name}.md`, text);
  return `drafts/${name}.md`;
}
/** Everything that is recorded, byte for byte. The copies that programs run from are no record. */
function record(): string {
  const hash = createHash("sha256");
  for (const entry of readdirSync(join(workspace.root, "planes"), { withFileTypes: true, recursive: true }))
    if (entry.isFile() && !entry.parentPath.includes("/hot/programs"))
      hash.update(readFileSync(join(entry.parentPath, entry.name)));
  return hash.digest("hex");
}

describe("a policy over the past", () => {
  test("the policy in force decides as it did, and nothing is recorded or called", async () => {
    const before = record();
    for (const id of ["tidy-gate", "tidy-floor", "tidy-rights", "tidy-loop"]) {
      const { status, json } = await backtest(id, "--fail-on-difference");
      expect([id, status, json.different, json.outcomes, json.unjudged]).toEqual([id, 0, [], [], []]);
      const asked = events.filter(
        ({ type, payload }) => type === "workflow.policy_gated" && (payload as { policy_id: string }).policy_id === id,
      );
      expect([id, json.decisions]).toEqual([id, asked.length]);
      expect(json.sessions).toEqual({ read: 2, judged: 1 });
    }
    expect(record()).toBe(before);
  });

  test("a stricter gate: each difference with its event, the rule that decides and why; how phases would have ended", async () => {
    const file = await draft("gate", gate.replace("'P0', then", "'P0' || finding.severity == 'P1', then"));
    const { status, json } = await backtest(file);
    expect(status).toBe(0);
    const [only, ...more] = json.different;
    expect(more).toEqual([]);
    expect(only).toMatchObject({
      session_id: cycle,
      cycle_id: "tidy",
      phase: "look",
      visit: 1,
      generation: 1,
      about: "P1 Dust (a.ts:3)",
      recorded: { decision: "advisory", rule: null },
      now: {
        decision: "deny",
        reason: "a P0 stops it",
        rule: 0,
        expression: "finding.severity == 'P0' || finding.severity == 'P1'",
        line: 5,
      },
      change: "stricter",
    });
    expect(events[(only?.seq ?? 0) - 1]).toMatchObject({
      type: "workflow.policy_gated",
      payload: { policy_id: "tidy-gate", decision: "advisory", subject: only?.subject },
    });
    expect(json.outcomes).toMatchObject([
      { phase: "look", visit: 1, recorded: { outcome: "advance", to: "make" }, now: { outcome: "abort", to: null } },
    ]);
    expect((await backtest(file, "--fail-on-difference")).status).toBe(1);
    const { stdout } = await cli(workspace.root, "policy", "backtest", file);
    expect(stdout).toContain("1 different");
    expect(stdout).toContain("rule 1, line 5");
    expect(stdout).toContain("look would have ended otherwise: advance to make → abort");
  });

  test.each([
    [
      "confidence-gating",
      "tidy-floor",
      { from: "confidence < 50", to: "confidence < 80" },
      { decision: "suppressed", change: "looser" },
    ],
    [
      "role-permissions",
      "tidy-rights",
      { from: "then: allow, reason: reviewers", to: "then: deny, reason: reviewers" },
      { decision: "deny", change: "stricter" },
    ],
    [
      "loop-halt",
      "tidy-loop",
      { from: "oscillation_window: 4", to: "max_generations: 1" },
      { decision: "halt", change: "stricter" },
    ],
  ])("%s", async (_, id, { from, to }, { decision, change }) => {
    const text = definitions[`workflows/policies/${id}.md`] ?? "";
    const { json } = await backtest(await draft(id, text.replace(from, to)));
    expect(json.different.length).toBeGreaterThan(0);
    for (const each of json.different) expect(each).toMatchObject({ now: { decision }, change });
    expect(json.outcomes.length).toBeGreaterThan(0);
  });

  test("a policy that nobody had is added to the cycles that ran, or to the one that is named", async () => {
    const fresh = gate.replace("id: tidy-gate", "id: brand-new");
    const file = await draft("brand-new", fresh.replace("severity == 'P0'", "title == 'Lint'"));
    const { json } = await backtest(file);
    expect(json.different).toMatchObject([
      { recorded: null, now: { decision: "advisory" } },
      { recorded: null, now: { decision: "deny" }, about: "P2 Lint (a.ts:9)" },
      { recorded: null, now: { decision: "advisory" } },
    ]);
    expect((await backtest(file, "--cycle", "code-review")).json).toMatchObject({ decisions: 0, different: [] });
    expect((await backtest(file, "--since", "2099-01-01")).json.sessions).toEqual({ read: 0, judged: 0 });
    expect((await backtest(file, "--session", greeting)).json.sessions).toEqual({ read: 1, judged: 0 });
  });

  test("a draft that is no policy is refused with file, line and hint; so is a name that nobody has", async () => {
    const file = await draft("prose", gate.replace("finding.severity == 'P0'", "something looks really bad"));
    const refused = await cli(workspace.root, "policy", "backtest", file);
    expect(refused.status).not.toBe(0);
    expect(refused.stderr).toContain("drafts/prose.md:5");
    expect(refused.stderr).toContain("is prose");
    const unknown = await cli(workspace.root, "policy", "backtest", "polit");
    expect(unknown.status).toBe(2);
    expect(unknown.stderr).toContain('did you mean "polite"?');
    expect((await cli(workspace.root, "policy", "backtest", file, "--since", "yesterday")).status).toBe(2);
  });
});

describe("a hook over the past", () => {
  test("a program that is new: the call, the hash of its arguments, who decided then and now; it is all that runs", async () => {
    await workspace.write(
      "hooks/no-writes.mjs",
      `import { appendFileSync } from "node:fs";
export default ({ tool, args }) => {
  appendFileSync(${JSON.stringify(join(workspace.root, "asked.txt"))}, tool + " " + args.path + "\\n");
  return args.path.endsWith("done.txt") ? { decision: "deny", reason: "no more files" } : { decision: "allow", reason: "fine" };
};`,
    );
    const before = record();
    const { json, status } = await backtest(
      "hooks/no-writes.mjs",
      "--at",
      "PreToolUse",
      "--matcher",
      "fs.*",
      "--fail-on-difference",
    );
    expect(status).toBe(1);
    const invoke = events.find((event) => event.type === "tool.invoke");
    expect(json.different).toMatchObject([
      {
        session_id: cycle,
        point: "PreToolUse",
        subject: "fs.write",
        call_id: invoke?.payload.call_id,
        args_hash: invoke?.payload.args_hash,
        recorded: { decision: "allow" },
        now: { decision: "deny", reason: "no more files", by: "hooks/no-writes.mjs" },
        own: { recorded: null, now: { decision: "deny" } },
        change: "stricter",
        input: "exact",
      },
    ]);
    expect(json.unjudged).toEqual([]);
    // Asked about every recorded call of fs.write; what it wrote stayed in its sandbox, and the file of then is as it was.
    expect(json.decisions).toBe(3);
    expect(existsSync(join(workspace.root, "asked.txt"))).toBe(false);
    expect(await workspace.read("output/tidy/done.txt")).toBe("tidy");
    expect(record()).toBe(before);
  });

  test("a changed hook, by its id; and a draft that takes its place", async () => {
    expect((await backtest("polite")).json).toMatchObject({ decisions: 1, different: [] });
    const strict = `export default ({ args }) => ({ decision: "deny", reason: "said " + args.text });`;
    await workspace.write("hooks/polite.mjs", strict);
    await workspace.write("hooks/stricter.mjs", strict);
    const draftOfIt = ["hooks/stricter.mjs", "--at", "PreToolUse", "--matcher", "echo", "--replaces", "polite"];
    for (const argv of [["polite"], ["hooks/polite.mjs"], draftOfIt])
      expect((await backtest(...argv)).json.different).toMatchObject([
        {
          session_id: greeting,
          subject: "echo",
          recorded: { decision: "allow" },
          now: { decision: "deny", reason: "said Hello, Ada", by: "polite" },
          own: { recorded: { decision: "allow", reason: "echo is harmless" }, now: { decision: "deny" } },
        },
      ]);
  });

  test("at every point of a recorded session the input is made again and proven by its hash", async () => {
    const points = ["SessionStart", "UserPromptSubmit", "SkillStart", "PreToolUse", "PostToolUse", "Stop"];
    const cyclePoints = ["WorkflowStart", "PhaseAdvance", "WorkflowComplete"];
    await workspace.write("hooks/echo.sh", `#!/bin/sh\ncat >/dev/null\necho '{"decision":"allow","reason":"heard"}'\n`);
    const all = [...points, ...cyclePoints].map(
      (point) => `  ${point}: [{ hooks: [{ type: command, command: "sh hooks/echo.sh", id: heard }] }]`,
    );
    await workspace.write("drafts/hooks.yaml", `hooks:\n${all.join("\n")}\n`);
    const { json } = await backtest("drafts/hooks.yaml");
    expect(json.unjudged).toEqual([]);
    const fired = [...events, ...(await readAll(greeting))].filter(({ type }) => type === "hook.fired");
    expect(json.decisions).toBe(fired.length);
    expect(new Set(fired.map(({ payload }) => (payload as { point: string }).point)).size).toBe(9);
    // A hook that only allows changes nothing where others allowed, denied or had no say.
    expect(json.different).toEqual([]);
  });

  test("a program that hangs, breaks or says nonsense denies, as it would have; the test goes on", async () => {
    await workspace.write("hooks/hang.sh", "#!/bin/sh\nsleep 30\n");
    await workspace.write(
      "drafts/hang.yaml",
      `PreToolUse: [{ matcher: echo, hooks: [{ type: command, command: "sh hooks/hang.sh", timeout: 0.3 }] }]\n`,
    );
    const started = performance.now();
    const { json } = await backtest("drafts/hang.yaml");
    expect(performance.now() - started).toBeLessThan(10_000);
    expect(json.different).toMatchObject([{ now: { decision: "deny", reason: expect.stringContaining("300 ms") } }]);
  });
});

test("the shadow's decisions stand beside the real ones, and changed nothing", async () => {
  const { status, json } = await cliJson<ShadowReportV1>(workspace.root, "policy", "shadow");
  expect(status).toBe(0);
  expect(json.policies).toEqual([{ policy_id: "tidy-watch", decisions: 3, stricter: 1, looser: 0 }]);
  expect(json.decisions.filter(({ change }) => change !== "same")).toMatchObject([
    {
      session_id: cycle,
      phase: "look",
      policy_id: "tidy-watch",
      shadow: { decision: "deny", reason: "the strict reading" },
      real: [{ policy_id: "tidy-gate", decision: "advisory" }],
      effect: "advisory",
      effect_with: "deny",
    },
  ]);
  const { stdout } = await cli(workspace.root, "policy", "shadow");
  expect(stdout).toContain("tidy-watch: 3 decisions, 1 stricter");
});

test("sessions are judged and listed in the order in which they began", async () => {
  await using place = await testWorkspace();
  const begun: (string | null | undefined)[] = [];
  for (let number = 0; number < 6; number += 1) begun.push((await place.ask("greet Ada")).session_id);
  await place.runtime.close();
  await place.write("hooks/never.mjs", `export default () => ({ decision: "deny", reason: "no" });`);
  const asked = ["policy", "backtest", "hooks/never.mjs", "--at", "SkillStart"];
  const { json } = await cliJson<BacktestReportV1>(place.root, ...asked);
  expect(json.different.map(({ session_id }) => session_id)).toEqual(begun);
});

test("a session whose chain does not verify is told of, and nothing of it is judged", async () => {
  const file = join(workspace.root, "planes/ho1/sessions", cycle, ".events.jsonl");
  const text = readFileSync(file, "utf8");
  writeFileSync(file, text.replace('"severity":"P1"', '"severity":"P2"'));
  try {
    const { status, json } = await backtest("tidy-gate");
    expect(status).toBe(1);
    expect(json).toMatchObject({ decisions: 0, corrupt: [{ session_id: cycle, code: "LEDGER_CORRUPT" }] });
  } finally {
    writeFileSync(file, text);
  }
});

async function readAll(session_id: string): Promise<readonly Event[]> {
  const file = join(workspace.root, "planes/ho1/sessions", session_id, ".events.jsonl");
  return readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Event);
}
