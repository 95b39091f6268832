// I-3 and T9: whatever a hook does, the gate stays shut unless it clearly said otherwise.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type HookWorkspace, hookWorkspace, toolCall } from "../support/hook-workspace.ts";

let workspace: HookWorkspace;
beforeAll(async () => {
  workspace = await hookWorkspace();
});
afterAll(() => workspace.close());

const node = JSON.stringify(process.execPath);

describe("a program that misbehaves denies, and the reason names it and what it did", () => {
  const kinds: readonly [kind: string, program: string, says: RegExp, fault: string][] = [
    ["ends with another status", "echo oops >&2; exit 1", /ended with status 1 \(oops\)/, "exit_status"],
    ["is not there", "hooks/no-such-program", /status 127: its program was not found/, "exit_status"],
    ["may not be executed", "hooks/plain.txt", /status 126: its program cannot be executed/, "exit_status"],
    ["never answers", "sleep 600", /did not answer within 300 ms/, "timed_out"],
    [
      "never answers and ignores being told to end",
      "trap '' TERM INT HUP; while :; do sleep 1; done",
      /did not answer within 300 ms/,
      "timed_out",
    ],
    [
      "leaves a child behind that holds its pipes",
      "(sleep 600 &) ; exec sleep 600",
      /did not answer within 300 ms/,
      "timed_out",
    ],
    ["prints half a document", `printf '{"decision": "allow"'`, /printed not JSON/, "bad_json"],
    ["prints text", "echo yes, go ahead", /expected nothing or one JSON object/, "bad_json"],
    [
      "says a key twice",
      `printf '{"decision":"deny","reason":"no","decision":"allow"}'`,
      /the key "decision" stands twice/,
      "bad_json",
    ],
    [
      "prints two documents",
      `echo '{"decision":"allow"}'; echo '{"decision":"allow"}'`,
      /printed not JSON/,
      "bad_json",
    ],
    ["prints an array", `echo '[{"decision":"allow"}]'`, /expected one JSON object/, "bad_json"],
    ["prints a quoted word", `echo '"allow"'`, /expected one JSON object/, "bad_json"],
    ["invents a decision", `echo '{"decision":"maybe"}'`, /unknown decision "maybe"/, "unknown_decision"],
    ["shouts its decision", `echo '{"decision":"ALLOW"}'`, /unknown decision "ALLOW"/, "unknown_decision"],
    ["denies without a reason", `echo '{"decision":"deny"}'`, /said deny without a reason/, "malformed"],
    [
      "allows and smuggles an output",
      `echo '{"decision":"allow","output":{"path":"/etc/passwd"}}'`,
      /the field "output", which does not belong/,
      "malformed",
    ],
    [
      "transforms without an output",
      `echo '{"decision":"transform"}'`,
      /said transform without an output/,
      "malformed",
    ],
    [
      "transforms into what no tool takes",
      `echo '{"decision":"transform","output":["rm"]}'`,
      /a transform that PreToolUse cannot take/,
      "bad_transform",
    ],
    [
      "sets a prototype",
      `echo '{"decision":"transform","output":{"__proto__":{"admin":true}}}'`,
      /"__proto__" is not accepted/,
      "bad_json",
    ],
    [
      "misspells the protocol",
      `echo '{"hookSpecificOutput":{"permissionDecison":"deny"}}'`,
      /unknown field "permissionDecison"/,
      "malformed",
    ],
    [
      "answers for another event",
      `echo '{"hookSpecificOutput":{"hookEventName":"PostToolUse"}}'`,
      /answered for "PostToolUse"/,
      "malformed",
    ],
    [
      "invents a permission",
      `echo '{"hookSpecificOutput":{"permissionDecision":"escalate"}}'`,
      /unknown permissionDecision "escalate"/,
      "unknown_decision",
    ],
    ["floods stdout", "yes allow", /printed more than 1048576 bytes/, "flooded"],
    ["floods stderr", "yes no >&2", /printed more than 1048576 bytes/, "flooded"],
    ["kills itself", "kill -9 $$", /was ended by SIGKILL/, "killed"],
    [
      "nests without end",
      `${node} -e 'console.log("{\\"decision\\":" + "[".repeat(5000) + "]".repeat(5000) + "}")'`,
      /nesting deeper than/,
      "bad_json",
    ],
  ];
  test.for(kinds)("a program that %s", async ([kind, program, says, fault]) => {
    await workspace.write("hooks/plain.txt", "not a program");
    if (kind.includes("may not be"))
      await import("node:fs/promises").then((fs) => fs.chmod(`${workspace.root}/hooks/plain.txt`, 0o644));
    const outcome = await workspace.ask({
      type: "command",
      command: program,
      id: "guard",
      timeout: fault === "timed_out" ? 0.3 : 20,
    });
    expect(outcome).toMatchObject({ decision: "deny", decidedBy: "guard" });
    expect(outcome.output).toBeUndefined();
    expect(outcome.reason).toMatch(says);
    expect(outcome.reason).toContain("the hook guard");
    expect(workspace.recorder.of("hook.fired").at(-1)?.handlers[0]).toMatchObject({
      id: "guard",
      decision: "deny",
      fault,
    });
  });

  test("a program that closes stdin at once, under an input larger than any pipe, is judged by how it ends", async () => {
    const large = { ...toolCall, args: { path: "big", text: "x".repeat(3_000_000) } };
    const allowed = await workspace.ask(
      { type: "command", command: "exec 0<&-; exit 0", id: "deaf" },
      "PreToolUse",
      large,
    );
    expect(allowed).toMatchObject({ decision: "allow", decidedBy: "none" });
    const denied = await workspace.ask(
      { type: "command", command: "exec 0<&-; exit 3", id: "deaf" },
      "PreToolUse",
      large,
    );
    expect(denied.decision).toBe("deny");
  });

  test("a program that asks for a person is denied while nobody can be asked, and asks when someone can", async () => {
    const entry = { type: "command", command: `echo '{"decision":"ask","reason":"production data"}'`, id: "careful" };
    expect(await workspace.ask(entry)).toMatchObject({
      decision: "deny",
      reason: expect.stringMatching(/careful asks for a person, and nobody can be asked here: production data/),
    });
    expect(await workspace.ask(entry, "PreToolUse", toolCall, { canAsk: true })).toMatchObject({
      decision: "ask",
      reason: "production data",
    });
  });

  test("canceling the request ends the asking and the program at once: nothing is allowed, and nobody decided", async () => {
    const controller = new AbortController();
    const pending = workspace.ask({ type: "command", command: "sleep 600", id: "slow" }, "PreToolUse", toolCall, {
      signal: controller.signal,
    });
    controller.abort();
    await expect(pending).rejects.toThrow("the work was canceled while hooks were asked at PreToolUse");
  });
});

describe("a module that misbehaves denies, and the runtime goes on", () => {
  const kinds: readonly [kind: string, source: string, says: RegExp][] = [
    ["throws", `export default () => { throw new Error("no idea"); }`, /threw: no idea/],
    [
      "throws something that cannot be shown",
      `export default () => { throw { toString() { throw 1; } }; }`,
      /threw: something that cannot be shown/,
    ],
    ["rejects", `export default async () => { throw new Error("later"); }`, /threw: later/],
    ["returns nothing", `export default () => {}`, /answered with nothing/],
    ["returns null", `export default () => null`, /answered null/],
    ["returns a word", `export default () => "allow"`, /answered "allow"/],
    ["never settles", `export default () => new Promise(() => {})`, /did not answer within 400 ms/],
    ["never yields", `export default () => { for (;;); }`, /did not answer within 400 ms/],
    ["ends the process", `export default () => process.exit(0)`, /ended itself/],
    [
      "breaks down afterwards",
      `export default () => { setTimeout(() => { throw new Error("late"); }, 1); return new Promise(() => {}); }`,
      /broke down: late|did not answer/,
    ],
    [
      "eats memory",
      `export default () => { const all = []; for (;;) all.push(new Array(1e5).fill({})); }`,
      /broke down|did not answer|ended itself/,
    ],
    [
      "answers with megabytes",
      `export default () => ({ decision: "allow", reason: "x".repeat(5e6) })`,
      /more than 1048576 characters/,
    ],
    [
      "answers with a cycle",
      `export default () => { const a = { decision: "allow" }; a.a = a; return a; }`,
      /threw: .*circular/i,
    ],
    [
      "changes its input",
      `export default (input) => { input.args.path = "/etc/passwd"; return { decision: "allow" }; }`,
      /threw: .*read only/,
    ],
    ["has no default export", `export const decide = 1`, /could not be loaded: .*neither a function/],
    ["cannot be parsed", `export default (`, /could not be loaded: line 1: Unexpected end of input/],
    [
      "cannot be parsed further down",
      `// so\nexport default () => {\n  return { decision: "allow" ;\n};\n`,
      /could not be loaded: line 3, column 30: Unexpected token ';'/,
    ],
    [
      "imports a name that is not there",
      `import { absent } from "node:fs"; export default () => ({ decision: "allow" })`,
      /could not be loaded: .*absent/,
    ],
    [
      "imports what is not there",
      `import "./absent.js"; export default () => ({ decision: "allow" })`,
      /could not be loaded/,
    ],
  ];
  test.for(kinds)("a module that %s", async ([kind, source, says]) => {
    const module = `hooks/${kind.replaceAll(/\W/g, "-")}.mjs`;
    await workspace.write(module, source);
    const timeout = says.source.includes("400 ms") ? 0.4 : 20;
    const outcome = await workspace.ask({ type: "module", module, id: "guard", timeout });
    expect(outcome.decision).toBe("deny");
    expect(outcome.reason).toMatch(says);
    expect(outcome.reason).toContain("the hook guard");
  });

  test("a TypeScript module that cannot be parsed", async () => {
    await workspace.write("hooks/wrong.ts", `export default (): object => {\n  return { decision: "allow" ;\n};\n`);
    const outcome = await workspace.ask({ type: "module", module: "hooks/wrong.ts", id: "guard", timeout: 20 });
    expect(outcome.decision).toBe("deny");
    expect(outcome.reason).toMatch(/could not be loaded: line 2, column 30: \S/);
  });

  test("a module that is not there", async () => {
    const outcome = await workspace.ask({ type: "module", module: "hooks/absent.mjs", id: "guard" });
    expect(outcome).toMatchObject({
      decision: "deny",
      reason: expect.stringContaining("the hook guard could not be loaded: there is no such file"),
    });
  });

  test("after a hang the same module is asked afresh and can answer", async () => {
    await workspace.write(
      "hooks/moody.mjs",
      `export default ({ args }) => { if (args.hang) for (;;); return { decision: "allow", reason: "fine" }; }`,
    );
    const entry = { type: "module", module: "hooks/moody.mjs", id: "moody" };
    const patient = await workspace.hooks({ PreToolUse: [{ hooks: [{ ...entry, timeout: 30 }] }] });
    const hasty = await workspace.hooks({ PreToolUse: [{ hooks: [{ ...entry, timeout: 0.5 }] }] });
    const fire = async (args: { hang: boolean }) =>
      (args.hang ? hasty : patient).fire(
        "PreToolUse",
        { subject: "t", payload: { tool: "t", args } },
        { recorder: workspace.recorder },
      );
    expect(await fire({ hang: false })).toMatchObject({ value: { decision: "allow" } });
    expect(await fire({ hang: true })).toMatchObject({ value: { decision: "deny" } });
    expect(await fire({ hang: false })).toMatchObject({ value: { decision: "allow" } });
  });

  test("what a module prints reaches neither our stdout nor the answer", async () => {
    await workspace.write(
      "hooks/loud.mjs",
      `export default () => { console.log('{"decision":"deny","reason":"printed"}'); return { decision: "allow" }; }`,
    );
    expect(await workspace.ask({ type: "module", module: "hooks/loud.mjs" })).toMatchObject({ decision: "allow" });
  });
});

describe("a hook that transforms gets exactly its transform, and nothing falls back", () => {
  test("an empty transform is a transform", async () => {
    const outcome = await workspace.ask({ type: "command", command: `echo '{"decision":"transform","output":{}}'` });
    expect(outcome).toMatchObject({ decision: "transform", output: {} });
  });

  test.for([null, false, 0, "", [], {}].map((output) => ({ output })))(
    "a result replaced by $output stays replaced",
    async ({ output }) => {
      const answer = JSON.stringify({ decision: "transform", output });
      const payload = { tool: "t", args: {}, result: "secret", call_id: "c" };
      const outcome = await workspace.ask({ type: "command", command: `echo '${answer}'` }, "PostToolUse", payload);
      expect(outcome.decision).toBe("transform");
      expect(outcome.output).toEqual(output);
    },
  );
});
