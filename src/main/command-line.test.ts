import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { CliContext } from "#core/commands";
import { exitStatusOf } from "#core/commands";
import { type DomainError, domainError, type ErrorCode, errorCodes } from "#core/errors";
import { explainError, screenOf } from "#core/terminal";
import { seededRandom } from "#core/values";
import { manualClock } from "../core/values/manual-clock.ts";
import { termsOf } from "../surface/cli/register-command.ts";
import { wantedCommand } from "../surface/cli/wanted-command.ts";
import { runCli } from "./start.ts";
import { commandTable } from "./tables/commands.ts";

const place = mkdtempSync(join(tmpdir(), "writ-main-"));
afterAll(() => rmSync(place, { recursive: true, force: true }));

/** Runs a command line in this process and keeps what it says. */
async function run(argv: readonly string[], more: Partial<CliContext> = {}) {
  const said = { stdout: "", stderr: "" };
  const output = (name: keyof typeof said) => ({
    write: (text: string) => {
      said[name] += text;
    },
    isTTY: false,
    columns: 80,
  });
  const status = await runCli(argv, {
    stdout: output("stdout"),
    stderr: output("stderr"),
    env: {},
    cwd: place,
    clock: manualClock(),
    random: seededRandom(1),
    signal: new AbortController().signal,
    version: "9.9.9",
    ...more,
  });
  return { status, ...said };
}

test("a command runs in process, with everything it needs handed in", async () => {
  expect(await run(["init", "made"])).toMatchObject({ status: 0, stderr: "" });
  expect(await run(["config", "show", "--root", "made", "--json"])).toMatchObject({ status: 0 });
  expect(await run(["--version"])).toEqual({ status: 0, stdout: "9.9.9\n", stderr: "" });
});

test("an aborted command ends with 130 after Ctrl-C, and with 143 when it was told to end", async () => {
  expect(await run(["schema", "list"], { signal: AbortSignal.abort("SIGINT") })).toMatchObject({ status: 130 });
  expect(await run(["schema", "list"], { signal: AbortSignal.abort("SIGTERM") })).toMatchObject({ status: 143 });
  expect(await run(["config", "show"], { signal: AbortSignal.abort("SIGINT") })).toMatchObject({ status: 130 });
});

test("an exception inside a command is told as a defect of Writ, without a stack unless asked, and exits 1", async () => {
  const stdout = {
    write: () => {
      throw new TypeError("boom");
    },
    isTTY: false,
    columns: 80,
  };
  const quiet = await run(["schema", "list"], { stdout });
  expect(quiet).toMatchObject({ status: 1, stderr: expect.stringContaining("defect of Writ") });
  expect(quiet.stderr).not.toContain("    at ");
  expect((await run(["schema", "list", "--debug"], { stdout })).stderr).toContain("    at ");
});

test("a line that cannot be read is answered with the help of the command that it got to", async () => {
  const hintOf = async (...argv: readonly string[]) => /mend {4}(.*)/.exec((await run(argv)).stderr)?.[1];
  expect(await hintOf("run")).toBe("`writ run --help` shows what there is");
  expect(await hintOf("session", "explain")).toBe("`writ session --help` shows what there is");
  expect(await hintOf("--root", "x", "session", "fork", "last")).toBe("`writ session fork --help` shows what there is");
  expect(await hintOf("run", "hi", "--skil", "greet")).toBe("did you mean --skill?");
  expect(await hintOf("run", "greet", "Ada")).toMatch(/^words that belong together stand in quotes; `writ run --help`/);
});

test("help goes as deep as it is asked for, and no further than there are commands", async () => {
  const shown = await run(["help", "session", "show"]);
  expect(shown).toMatchObject({ status: 0, stdout: expect.stringContaining("Usage: writ session show") });
  expect((await run(["session", "show", "--help"])).stdout).toBe(shown.stdout);
  for (const argv of [
    ["help", "session", "shwo"],
    ["session", "shwo", "--help"],
  ])
    expect(await run(argv)).toMatchObject({
      status: 2,
      stdout: "",
      stderr: expect.stringContaining("did you mean `writ session show`?"),
    });
  for (const argv of [["help"], ["help", "help"], ["--help"]])
    expect(await run(argv)).toMatchObject({ status: 0, stdout: expect.stringContaining("Usage: writ [options]") });
  expect((await run(["session", "help", "show"])).stdout).toBe(shown.stdout);
});

test("each kind of failure has its status, and every code has a kind", () => {
  const expected: Partial<Record<ErrorCode, number>> = {
    MALFORMED_INPUT: 2,
    CONFIG_INVALID: 2,
    WORKSPACE_NOT_FOUND: 2,
    NOT_FOUND: 2,
    GATE_DENIED: 3,
    NOT_AUTHORIZED: 3,
    BUDGET_EXHAUSTED: 3,
    FRAMEWORK_NOT_FOUND: 3,
    WORKFLOW_UNKNOWN_ID: 3,
    TOOL_NOT_ALLOWED: 3,
    PROVIDER_ERROR: 1,
    LEDGER_CORRUPT: 1,
    SCHEMA_VIOLATION: 1,
    INTERNAL: 1,
    TIMEOUT: 1,
  };
  for (const [code, status] of Object.entries(expected))
    expect(exitStatusOf(domainError(code as ErrorCode, "")), code).toBe(status);
  for (const code of Object.keys(errorCodes))
    expect([1, 2, 3, 4], code).toContain(exitStatusOf(domainError(code as ErrorCode, "")));
});

test("a failure is told as what was asked, what is wrong, where, and how to mend it", () => {
  const screen = screenOf({ write: () => undefined, isTTY: false, columns: 80 }, {});
  const explain = (error: DomainError, debug = false) => explainError(error, { asked: "writ do it", screen, debug });
  expect(
    explain(
      domainError("NOT_FOUND", "there is no skill x", { details: { where: "skills/x", hint: "did you mean y?" } }),
    ),
  ).toBe(
    "writ: there is no skill x\n  asked   writ do it\n  where   skills/x\n  mend    did you mean y?\n  code    NOT_FOUND\n",
  );
  const violated = domainError("SCHEMA_VIOLATION", "x", {
    details: { schema_id: "plan_v1", violations: [{ path: "$.a", expected: "type number", found: "none" }] },
  });
  expect(explain(violated)).toContain("1 problem against plan_v1");
  expect(explain(violated)).toContain("$.a: expected type number, found none");
  expect(explain(violated)).toContain("mend    `writ schema show plan_v1` shows what it has to be");
  expect(explain(domainError("LEDGER_CORRUPT", "line 24 is bad"))).toMatch(/mend {4}`writ session verify` names/);
  const cause = new Error("deep down");
  expect(explain(domainError("INTERNAL", "x", { cause }))).not.toContain("deep down");
  expect(explain(domainError("INTERNAL", "x", { cause }), true)).toContain("deep down");
});

test.each([
  [["init"], "init"],
  [["--root", "x", "session", "list"], "session"],
  [["--root=x", "--json", "doctor"], "doctor"],
  [["help", "schema"], "schema"],
  [["--json"], undefined],
  [["run", "init"], "run"],
  [[], undefined],
])("the command in %j is %s", (argv, name) => {
  expect(wantedCommand(argv)).toBe(name);
});

test.each(commandTable)("the table says of $name what the command says of itself", async (entry) => {
  const command = await entry.load();
  expect({ name: command.name, summary: command.summary, terms: termsOf(command) }).toEqual({
    name: entry.name,
    summary: entry.summary,
    terms: entry.terms,
  });
});

test("a line without a command loads none, and a word behind -- is still found to be one", async () => {
  expect((await run(["--help"])).stdout).toContain("run [options] <prompt>");
  expect((await run(["--", "schema", "show", "plan_v1"])).stdout).toContain("plan_v1");
});

test("what a model, a file or a stranger named reaches the screen written out", async () => {
  const hostile = "no\u001b]0;owned\u0007such\u009b2J";
  const { stderr, stdout } = await run([hostile, "--json"]);
  for (const said of [stderr, stdout]) {
    expect(said).toContain("\\u009b2J");
    expect(said).not.toMatch(/[\u0007\u001b\u009b]/);
  }
});
