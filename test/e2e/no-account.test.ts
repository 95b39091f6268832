// Containers start programs under an id that no account has: `docker run --user 54321`, OpenShift.
import { spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { removeWholeTree } from "#core/machine";
import { bareEnvironment } from "../support/bare-environment.ts";
import { repository } from "../support/writ.ts";

// A user namespace maps this process to such an id, as root and as anybody else.
test.runIf(process.platform === "linux")(
  "a process whose id has no account and no home works, and acts under its number",
  () => {
    const root = mkdtempSync(join(tmpdir(), "writ-no-account-"));
    onTestFinished(() => removeWholeTree(root));
    const { PATH } = bareEnvironment();
    const writ = (...args: readonly string[]) => {
      const command = [process.execPath, join(repository, "bin/writ.js"), ...args];
      const env = { PATH, TMPDIR: root, WRIT_TRUST: root }; // no HOME
      return spawnSync("unshare", ["--user", "--map-user=54321", "--", ...command], {
        cwd: root,
        env,
        encoding: "utf8",
      });
    };
    expect(writ("init")).toMatchObject({ status: 0 });
    const ran = writ("run", "greet Ada", "--json");
    expect(ran, ran.stderr).toMatchObject({ status: 0 });
    // The kill switch opens a workspace in its own way.
    const halted = writ("halt", "--all", "--reason", "stop");
    expect(halted, halted.stderr).toMatchObject({ status: 0 });
    expect(writ("run", "greet Ada").status).not.toBe(0);
    const listed = writ("session", "list", "--json");
    expect(listed, listed.stderr).toMatchObject({ status: 0 });
    const { session_id } = JSON.parse(ran.stdout) as { session_id: string };
    expect(writ("session", "events", session_id, "--json").stdout).toContain("uid-54321@local");
    expect(writ("tool", "list")).toMatchObject({ status: 0 });
  },
);
