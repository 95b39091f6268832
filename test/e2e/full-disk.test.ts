// A workspace on a small disk of its own, which becomes nearly full, full, and free again.
import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statfsSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { cli } from "../support/fresh-cli.ts";

/** A folder on a file system of so many megabytes; undefined where this process may mount none. */
function smallDisk(megabytes: number): string | undefined {
  const root = mkdtempSync(join(tmpdir(), "writ-small-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", root], { stdio: "ignore" });
  } catch {
    rmSync(root, { recursive: true });
    return undefined;
  }
  onTestFinished(() => {
    execFileSync("umount", ["-l", root]);
    rmSync(root, { recursive: true, force: true });
  });
  return root;
}

const free = (root: string): number => {
  const { bavail, bsize } = statfsSync(root);
  return bavail * bsize;
};

/** Fills the disk until so many bytes are left. */
function fill(root: string, left: number): void {
  const fd = openSync(join(root, "other-program.log"), "a");
  const block = Buffer.alloc(4096, "x");
  try {
    while (free(root) > left) writeSync(fd, block);
  } catch (thrown) {
    if (left > 0 || (thrown as { code?: string }).code !== "ENOSPC") throw thrown;
  } finally {
    closeSync(fd);
  }
}

test("a nearly full disk refuses new work, a full one only work; nothing is lost, and with room everything goes on", async (context) => {
  const root = smallDisk(24);
  if (root === undefined) return context.skip("mounting a tmpfs needs rights that this process does not have");
  expect((await cli(root, "init")).status).toBe(0);
  const config = join(root, "writ.yaml");
  writeFileSync(config, `${readFileSync(config, "utf8")}\nlimits: { free_disk_bytes: 8000000 }\n`);
  expect((await cli(root, "run", "greet Ada")).status).toBe(0);
  expect((await cli(root, "runs", "start", "--app", "writer", "--objective", "a page")).status).toBe(0);

  fill(root, 6_000_000);
  for (const argv of [
    ["run", "greet Ada"],
    ["runs", "start", "--app", "writer", "--objective", "another"],
    ["tool", "call", "echo", '{"text":"hi"}'],
  ]) {
    const { status, text, errors } = await cli(root, ...argv);
    expect([argv.join(" "), status]).toEqual([argv.join(" "), 1]);
    expect(text + errors).toContain("nearly full");
    expect(text + errors).toContain(root);
    expect(text + errors).toContain("limits.free_disk_bytes");
  }

  fill(root, 0);
  expect(free(root)).toBe(0);
  for (const argv of [
    ["halt", "--all"],
    ["inbox", "list"],
    ["session", "list"],
    ["session", "show", "last"],
    ["session", "verify", "--all"],
    ["runs", "list"],
    ["runs", "verify", "--all"],
    ["halt"],
    ["halt", "--lift"],
  ]) {
    const { status, text, errors } = await cli(root, ...argv);
    expect([argv.join(" "), status, text + errors]).toEqual([argv.join(" "), 0, expect.anything()]);
    expect(text + errors).not.toContain("disk I/O error");
  }
  const doctor = await cli(root, "doctor");
  expect(doctor.text).toMatch(/Disk +the disk of .* is nearly full/);

  // What was kept for deciding is used up by another program as well: the message says what it is.
  fill(root, 0);
  const refused = await cli(root, "inbox", "list");
  if (refused.status !== 0) {
    expect(refused.errors).toContain("is full");
    expect(refused.errors).not.toContain("I/O");
  }
  expect((await cli(root, "session", "verify", "--all")).status).toBe(0);

  rmSync(join(root, "other-program.log"));
  expect((await cli(root, "run", "greet Ada")).status).toBe(0);
  expect((await cli(root, "session", "verify", "--all")).status).toBe(0);
  expect((await cli(root, "runs", "verify", "--all")).status).toBe(0);
}, 120_000);
