// `npm start`, as somebody runs it right after the clone.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { repository } from "../support/writ.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "writ-start-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const start = () =>
  spawnSync(process.execPath, [`${repository}scripts/start.mjs`, join(folder, "demo")], {
    encoding: "utf8",
    timeout: 120_000,
    env: { ...process.env, XDG_CONFIG_HOME: join(folder, "config") },
  });

test("a small task end to end: read, refused once, edited, answered, and again the next time", () => {
  for (let time = 0; time < 2; time++) {
    const { status, stdout } = start();
    expect(status, stdout).toBe(0);
    expect(stdout).toContain("denied by hooks/no-rewrites.mjs");
    expect(stdout).toContain("begins at 0 now");
    expect(stdout).toContain("chain verified");
    expect(readFileSync(join(folder, "demo/src/total.mjs"), "utf8")).toContain("let at = 0;");
  }
});

// In the folder of the test above, as a reader who edits the demo's settings would start it.
test("where no program can run it is left out, with the reason, and everything else is done", () => {
  const config = join(folder, "demo/writ.yaml");
  const denial = '    - matcher: "exec"\n      hooks: [{ type: module, module: "hooks/no-programs.mjs" }]\n';
  writeFileSync(config, `${readFileSync(config, "utf8")}${denial}`);
  const reason = "there is no sandbox for programs";
  writeFileSync(
    join(folder, "demo/hooks/no-programs.mjs"),
    `export default () => ({ decision: "deny", reason: "${reason}" });\n`,
  );
  const { status, stdout } = start();
  expect(status, stdout).toBe(0);
  expect(stdout).toContain("The test was not run");
  expect(stdout).toContain(reason);
  expect(readFileSync(join(folder, "demo/src/total.mjs"), "utf8")).toContain("let at = 0;");
});
