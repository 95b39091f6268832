// The writer in a real workspace, without a key: what a newcomer gets, and what people do with the document.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { BlameV1 } from "#core/contracts";
import { type RunId, systemClock, systemRandom } from "#core/values";
import { openers } from "../../src/main/openers.ts";
import { builtInApps } from "../../src/runs/apps/built-in-apps.ts";
import { readRevision } from "../../src/runs/apps/read-revision.ts";
import { runs } from "../../src/runs/cli/runs.ts";
import { openKernel } from "../../src/runs/open-kernel.ts";
import { registerCommand } from "../../src/surface/cli/register-command.ts";
import { AppBench } from "../support/app-bench.ts";
import { must } from "../support/kernel-harness.ts";
import { runOfApp } from "../support/run-of-app.ts";
import { type TestWorkspace, testWorkspace } from "../support/runtime-workspace.ts";

const garden = `# The garden

We have four beds. Bed one holds tomatoes, planted on 3 May after the last frost.

## Watering

Water the garden every second evening from June to August. In July the pump failed and half of the beans were lost.
`;

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await testWorkspace({
    files: {
      "notes/garden.md": garden,
      "notes/plan.md":
        "# Plan for watering\n\nBuy a second pump, so that watering goes on when one fails in the garden.\n",
    },
  });
});
afterAll(() => workspace[Symbol.asyncDispose]());

const writer = builtInApps["writer"];
if (!writer) throw new Error("the writer is built in");

/** The command line in this process, in the workspace. */
async function writ(argv: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const out: string[] = [];
  const output = { write: (text: string) => void out.push(text), isTTY: false, columns: 200 };
  const program = new Command("writ").option("--json").option("--root <dir>").exitOverride();
  registerCommand(program, runs, openers, {
    stdout: output,
    stderr: output,
    env: { PATH: process.env["PATH"], ...env },
    cwd: workspace.root,
    clock: systemClock,
    random: systemRandom,
    signal: new AbortController().signal,
    version: "0.0.0",
  });
  await program.parseAsync([...argv], { from: "user" });
  return out.join("");
}

const opened = async () => must(await openKernel({ root: workspace.root, clock: systemClock, random: systemRandom }));

test("without a key a run ends in a document with sections, footnotes to files, a summary, open questions and sources", async () => {
  const { run } = await runOfApp(
    workspace.runtime,
    writer,
    "Report how the garden did and what to change about watering",
  );
  expect(run).toMatchObject({ status: "closed", close_reason: "completed" });
  const { kernel, documents, close } = await opened();
  const { text } = must(await readRevision({ read: kernel.read, documents }, run.run_id as RunId, "head"));
  await close();
  expect(text).toMatch(/^---\nobjective: .*\nstatus: complete\n---\n\n# .+\n\nThis document answers: /);
  const headings = [...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
  expect(headings[0]).toBe("Summary");
  expect(headings.slice(-2)).toEqual(["Open questions", "Sources"]);
  expect(headings.length).toBeGreaterThanOrEqual(4);
  for (const source of ["notes/garden.md", "notes/plan.md"]) {
    expect(text).toContain(`| \`${source}\` | file |`);
    expect(text).toMatch(new RegExp(`^\\[\\^[a-z0-9]+-\\d+\\]: \`${source}\`, lines? \\d`, "m"));
  }
  expect(text).toContain("half of the beans were lost");
  expect(text.split("half of the beans were lost").length).toBeLessThanOrEqual(3); // in its section, perhaps in the summary
  // No line is anybody's: each has its patch, and whoever thought of it has a work order and a session that verifies.
  const { lines } = JSON.parse(await writ(["runs", "blame", run.run_id, "--json"])) as BlameV1;
  expect(lines.map((line) => line.text).join("\n")).toBe(text.trimEnd());
  expect(lines.every((line) => line.patch_id !== null)).toBe(true);
  for (const line of lines.filter(({ text: words }) => /beans were lost|^## |^- \*/.test(words))) {
    expect(line).toMatchObject({
      work_order_id: expect.stringMatching(/^WO-/),
      model: "scripted-1",
      verdict: "success",
    });
    expect((await workspace.runtime.verifySession(line.session_id as never)).ok).toBe(true);
  }
  expect(lines.find(({ text: words }) => words.includes("beans were lost"))).toMatchObject({
    author_kind: expect.stringMatching(/app|worker/),
  });
});

test("a person changes the file in any editor, and the difference becomes a patch that the app takes in", async () => {
  await using bench = new AppBench(writer, await opened());
  await bench.start("Garden");
  await bench.turn();
  const shown = await writ(["runs", "show", bench.run_id, "--revision", "head"]);
  expect(shown).toBe(await bench.text());
  const file = join(workspace.root, "draft.md");
  writeFileSync(file, `${shown.replace("# Garden", "# My garden")}\n## Mine\n\nMy own words.\n`);
  const proposed = JSON.parse(
    await writ(["runs", "patch", bench.run_id, "--file", "draft.md", "--actor", "ada", "--json"]),
  );
  expect(proposed.patch.ops.map((operation: { op: string }) => operation.op)).toEqual(["section.insert", "text.edit"]);
  const editing = await writ(["runs", "edit", bench.run_id, "--actor", "bob"], {
    EDITOR: "sed -i 's/under way/nearly done/'",
  });
  expect(editing).toMatch(/PAT-\S+ proposed, made on REV-.*\n {2}text.edit Garden\n/);
  expect(await writ(["runs", "edit", bench.run_id], { EDITOR: "true" })).toBe("Nothing was changed.\n");
  await expect(writ(["runs", "edit", bench.run_id], { EDITOR: "false" })).rejects.toThrow(
    /ended with 1: nothing was proposed/,
  );
  await bench.settle();
  expect(await bench.text()).toContain("# My garden\n\n_Research is nearly done.");
  expect(await bench.text()).toContain("## Mine\n\nMy own words.\n");
  const log = await writ(["runs", "log", bench.run_id]);
  expect(log).toMatch(/✓ PAT-\S+ {2}user ada {2}section.insert, text.edit\n {2}✓ PAT-\S+ {2}user bob {2}text.edit/);
  const diff = await writ(["runs", "diff", bench.run_id]);
  expect(diff).toContain("-# Garden\n+# My garden\n");
  expect(await writ(["runs", "blame", bench.run_id, "--line", "6"])).toMatch(
    /line 6 {2}# My garden\n {2}author +user ada\n {2}patch +PAT-/,
  );
  expect(await writ(["runs", "blame", bench.run_id])).toMatch(/user|ada .*\| # My garden/);
  await expect(writ(["runs", "blame", bench.run_id, "--line", "99"])).rejects.toThrow("there is no line 99");
  await expect(writ(["runs", "patch", bench.run_id, "--file", "nowhere.md"])).rejects.toThrow(
    /there is no file .*nowhere.md/,
  );
  await expect(writ(["runs", "show", bench.run_id, "--revision", "REV-x"])).rejects.toThrow(/has no revision REV-x/);
});
