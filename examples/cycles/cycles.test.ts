import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { SessionId } from "#core/values";
import { exampleCycles, exampleOf, examplesFolder, runExample } from "../../test/support/cycle-examples.ts";
import { testWorkspace } from "../../test/support/runtime-workspace.ts";

/** `WRIT_KEEP=1 vitest run examples/cycles` writes the outputs anew. */
const keeps = process.env["WRIT_KEEP"] === "1";

test.each(exampleCycles)("%s gives what is kept of it", async (cycle) => {
  await using workspace = await testWorkspace({ rules: [...exampleOf(cycle).rules] });
  const { result, output } = await runExample(workspace, cycle);
  expect(result, result.error ?? "").toMatchObject({ status: "success", verdict: "done" });
  expect(await workspace.runtime.verifySession(result.session_id as SessionId)).toMatchObject({
    ok: true,
    violations: [],
  });
  compare(join(examplesFolder, cycle, "output"), output);
});

function compare(folder: string, output: ReadonlyMap<string, string>): void {
  if (keeps) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    for (const [name, text] of output) writeFileSync(join(folder, name), text);
  }
  expect(readdirSync(folder).toSorted()).toEqual([...output.keys()].toSorted());
  for (const [name, text] of output) expect(text, name).toBe(readFileSync(join(folder, name), "utf8"));
}
