import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { describe, expect, test } from "vitest";
import type { CliContext } from "#core/commands";
import { CommandFailed } from "#core/commands";
import { systemClock, systemRandom } from "#core/values";
import { initWorkspace } from "#operate";
import { filesWith } from "../../../test/support/sealed-model.ts";
import { workspaceWith } from "../../../test/support/workspace.ts";
import { openers } from "../../main/openers.ts";
import { registerCommand } from "../../surface/cli/register-command.ts";
import { conductor } from "./conductor.ts";
import { runs } from "./runs.ts";
import { worker } from "./worker.ts";

const appModule = `export const app = { app_id: "mine", async turn(input) {
        if (input.new_events_since_seq === 0) return { actions: [{ type: "request_work", capability: "greet", objective: "Ada", depends_on: [], idempotency_key: "greet" }] };
        return { actions: [input.open_work_summary.length > 0 ? { type: "noop" } : { type: "close_run", reason: "completed" }] };
      } };`;

/** The three commands as one program, in a workspace of their own. */
function surroundings(cwd: string, signal = new AbortController().signal) {
  const out: string[] = [];
  const err: string[] = [];
  const output = (to: string[]) => ({ write: (text: string) => void to.push(text), isTTY: false, columns: 200 });
  const context: CliContext = {
    stdout: output(out),
    stderr: output(err),
    env: {},
    cwd,
    clock: systemClock,
    random: systemRandom,
    signal,
    version: "0.0.0",
  };
  const run = async (...argv: string[]): Promise<string> => {
    out.length = 0;
    const program = new Command("writ")
      .option("--json")
      .option("--root <dir>")
      .option("--store <where>")
      .exitOverride();
    for (const command of [runs, conductor, worker]) registerCommand(program, command, openers, context);
    await program.parseAsync(argv, { from: "user" });
    return out.join("");
  };
  const refusal = (...argv: string[]): Promise<{ readonly code: string; readonly message: string }> =>
    run(...argv).then(
      (message) => ({ code: "ok", message }),
      (thrown: unknown) => (thrown instanceof CommandFailed ? thrown.error : { code: String(thrown), message: "" }),
    );
  const code = async (...argv: string[]): Promise<string> => (await refusal(...argv)).code;
  return { run, code, refusal, err };
}

describe("writ runs", () => {
  test("a run is started, listed, shown, paused, continued and canceled", async () => {
    const root = workspaceWith({ "writ.yaml": "provider: scripted\n", "mine.mjs": appModule });
    const { run, code } = surroundings(root);
    const { run: started } = JSON.parse(
      await run("runs", "start", "--app", "./mine.mjs", "--objective", "grow", "--json"),
    );
    expect(started).toMatchObject({ app_id: "mine", objective: "grow", status: "active", close_reason: null });
    expect(await run("runs", "list")).toContain(started.run_id);
    expect(JSON.parse(await run("runs", "pause", started.run_id, "--json")).run.paused).toBe(true);
    expect(await run("runs", "list", "--status", "active")).toContain("paused");
    await run("runs", "start", "--app", "./mine.mjs", "--objective", "grow \u001b[31mred\nand on");
    expect(await run("runs", "list")).toMatch(/^RUN-\w+ +mine +active +just now +grow \S*red and on$/m);
    expect(JSON.parse(await run("runs", "continue", started.run_id, "--json")).run.paused).toBeUndefined();
    const shown = JSON.parse(await run("runs", "cancel", started.run_id, "--message", "enough", "--json"));
    expect(shown.run).toMatchObject({ close_reason: "canceled", close_message: "enough" });
    expect(Object.keys(JSON.parse(await run("runs", "show", started.run_id, "--json")))).toEqual([
      "run",
      "work_items",
      "patches",
      "revisions",
    ]);
    expect(await run("runs", "events", started.run_id)).toMatch(
      /run\.started.*\n.*run\.paused.*\n.*run\.continued.*\n.*run\.closed/,
    );
    const lines = (await run("runs", "watch", started.run_id, "--json")).trim().split("\n");
    expect(lines.map((line) => JSON.parse(line).seq)).toEqual([1, 2, 3, 4]);
    expect(await code("runs", "pause", started.run_id)).toBe("RUN_CLOSED");
    expect(await code("runs", "show", "RUN-nowhere")).toBe("NOT_FOUND");
    expect(JSON.parse(await run("runs", "show", started.run_id.slice(-8), "--json")).run.run_id).toBe(started.run_id);
    expect(await code("runs", "start", "--app", "nobody", "--objective", "grow")).toBe("NOT_FOUND");
    expect(await code("runs", "list", "--status", "asleep")).toBe("MALFORMED_INPUT");
    expect(await code("runs", "list", "--store", "mysql://x")).toBe("CONFIG_INVALID");
    expect(await run("runs", "archive", "--closed-for", "0")).toContain("1 archived");
    expect(JSON.parse(await run("runs", "show", started.run_id, "--json")).run.archive_ref).toMatch(/^sha256:/);
  });

  test("a secret in an objective is in no store and on no screen", async () => {
    const root = workspaceWith({ "writ.yaml": "provider: scripted\n", "mine.mjs": appModule });
    const { run } = surroundings(root);
    const objective = "move postgres://app:Tr0ub4dor-9-horses@db:5432/app elsewhere";
    const shown = await run("runs", "start", "--app", "./mine.mjs", "--objective", objective, "--json");
    expect(JSON.parse(shown).run.objective).toBe(
      "move postgres://app:[REDACTED:connection-string]@db:5432/app elsewhere",
    );
    expect(await run("runs", "events", JSON.parse(shown).run.run_id)).not.toContain("Tr0ub4dor");
    expect(filesWith(root, "Tr0ub4dor")).toEqual([]);
  });

  test("what is no number, no store or no objective is wrong usage, and changes nothing", async () => {
    const root = workspaceWith({ "writ.yaml": "provider: scripted\n", "mine.mjs": appModule });
    const { run, code, refusal } = surroundings(root);
    const start = ["runs", "start", "--app", "./mine.mjs", "--json", "--objective"];
    for (const nothing of ["", " "]) expect(await code(...start, nothing)).toBe("MALFORMED_INPUT");
    expect(JSON.parse(await run("runs", "list", "--json"))).toEqual({ runs: [] });
    await run(...start, "grow");
    await run("runs", "cancel", "last");
    for (const [option, bad, ...command] of [
      ["--limit", ["abc", "", "-1", "0", "1.5", "1e3", " 5", "Infinity"], "runs", "list"],
      ["--limit", ["x", ""], "runs", "archive"],
      ["--closed-for", ["abc", "", " ", "-1", "NaN"], "runs", "archive"],
      ["--after", ["abc", "", "-1"], "runs", "events", "last"],
      ["--line", ["one", "0"], "runs", "blame", "last"],
      ["--concurrency", ["many", ""], "worker", "--module", "./worker.mjs"],
      ["--lease", ["soon", "", "0"], "worker", "--module", "./worker.mjs"],
    ] as const) {
      writeFileSync(join(root, "worker.mjs"), "export const handlers = { greet: () => null };");
      for (const text of bad) {
        const { code, message } = await refusal(...command, `${option}=${text}`);
        expect({ code, message }, `${command.join(" ")} ${option} ${text}`).toEqual({
          code: "MALFORMED_INPUT",
          message: expect.stringMatching(new RegExp(`^${option} takes .*not ${JSON.stringify(text)}`)),
        });
      }
    }
    expect(JSON.parse(await run("runs", "show", "last", "--json")).run.archive_ref).toBeUndefined();
    for (const command of ["list", "show last", "cancel last", "watch last", "verify --all"]) {
      const argv = ["runs", ...command.split(" "), "--store", "sqlite:nowhere/x.db"];
      expect(await refusal(...argv), command).toMatchObject({
        code: "NOT_FOUND",
        message: expect.stringContaining(join(root, "nowhere/x.db")),
      });
    }
    expect(existsSync(join(root, "nowhere"))).toBe(false);
    for (const name of ["toString", "constructor"])
      expect(await code("worker", "--module", "./worker.mjs", "--capability", name)).toBe("MALFORMED_INPUT");
  });

  test("a conductor with an app and a worker with handlers, each from a module, bring a run to its end", async () => {
    const root = workspaceWith();
    expect((await initWorkspace(root)).ok).toBe(true);
    writeFileSync(join(root, "app.mjs"), appModule);
    writeFileSync(
      join(root, "worker.mjs"),
      `export const handlers = { greet: async (lease) => ({ status: "completed", result: { said: "Hello, " + lease.objective } }) };`,
    );
    const end = new AbortController();
    const loops = [
      surroundings(root, end.signal).run("conductor", "--app", "app.mjs"),
      surroundings(root, end.signal).run(
        "worker",
        "--module",
        "worker.mjs",
        "--capability",
        "greet",
        "--concurrency",
        "2",
      ),
    ];
    const { run, code } = surroundings(root);
    const { run: opened } = JSON.parse(await run("runs", "start", "--app", "./app.mjs", "--objective", "x", "--json"));
    await run("runs", "watch", opened.run_id);
    const { run: closed } = JSON.parse(await run("runs", "show", opened.run_id, "--json"));
    expect(closed).toMatchObject({ status: "closed", close_reason: "completed" });
    expect(await run("runs", "events", closed.run_id, "--json")).toContain("Hello, Ada");
    end.abort();
    await Promise.all(loops);
    // Retention: the next conductor moves what closed long enough ago into documents before it does anything else.
    const later = new AbortController();
    const keeper = surroundings(root, later.signal).run("conductor", "--app", "app.mjs", "--archive-after", "0");
    for (;;) {
      const { run: kept } = JSON.parse(await run("runs", "show", closed.run_id, "--json"));
      if (kept.archive_ref !== undefined) break;
    }
    later.abort();
    await keeper;
    expect(await run("runs", "verify", closed.run_id)).toContain("anchored up to");
    expect(await code("conductor", "--app", "app.mjs", "--archive-after", "soon")).toBe("MALFORMED_INPUT");
    expect(await code("worker", "--module", "worker.mjs", "--capability", "sing")).toBe("MALFORMED_INPUT");
    expect(await code("conductor", "--app", "worker.mjs")).toBe("CONFIG_INVALID");
  });
});
