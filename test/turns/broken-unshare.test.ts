// A broken `unshare` once made the self-test remove the whole workspace: it was mounted where everybody sees it, below a folder that
// was then removed.
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { removeWholeTree } from "#core/machine";
import { sha256 } from "#core/values";
import { bareEnvironment } from "../support/bare-environment.ts";
import { built } from "../support/built.ts";

const writ = join(import.meta.dirname, "..", "..", "bin", "writ.js");

function hashes(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((entry) => join(entry.parentPath, entry.name)).toSorted();
  return Object.fromEntries(paths.map((path) => [path.slice(folder.length + 1), sha256(readFileSync(path))]));
}

test.runIf(process.getuid?.() === 0)("an unshare that makes no namespace costs no file of root's workspace", () => {
  built();
  const root = mkdtempSync(join(tmpdir(), "writ-unshare-"));
  const broken = join(root, "broken-unshare");
  execFileSync(process.execPath, [writ, "init"], { cwd: root, env: bareEnvironment() });
  writeFileSync(broken, `#!/bin/sh\nwhile [ $# -gt 0 ] && [ "$1" != -- ]; do shift; done; shift; exec "$@"\n`);
  chmodSync(broken, 0o755);
  const before = hashes(root);
  expect(Object.keys(before)).toContain("planes/hot/keys/signing.pem");
  // In mounts of its own, where the broken program stands in for the machine's.
  const script = `mount --bind "$1" /usr/bin/unshare && "$2" "$3" doctor; cat /proc/self/mountinfo`;
  const said = spawnSync("unshare", ["--mount", "sh", "-c", script, "sh", broken, process.execPath, writ], {
    cwd: root,
    env: bareEnvironment(),
    encoding: "utf8",
  });
  expect(said.stdout).toContain("Sandbox: escapes tried");
  const after = hashes(root);
  expect(after).toMatchObject(before);
  // The broken program, and nothing of the sandbox.
  const mounts = said.stdout.split("\n").filter((line) => /^\d+ \d+ \d+:\d+ /.test(line) && line.includes("writ-"));
  expect(mounts.map((line) => line.split(" ")[4])).toEqual(["/usr/bin/unshare"]);
  removeWholeTree(root);
});
