// A layer is held to its size in blocks: what was unlinked and is still open counts like everything else.
import { spawn } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test } from "vitest";
import type { TurnResultV1 } from "#core/contracts";
import { removeWholeTree } from "#core/machine";
import { bareEnvironment } from "../support/bare-environment.ts";
import { built } from "../support/built.ts";
import { joined } from "../support/joined.ts";
import { type TurnWorkspace, turnWorkspace } from "../support/turn-workspace.ts";

const mib = 2 ** 20;
const nobody = 65534;
const isRoot = process.getuid?.() === 0;

/** Writes files of one MiB, each without a name as soon as it is open, until it may not; says how much it got. */
const unlinked = (count: number, pause = 0) => [
  "perl",
  "-e",
  `my ($all, @held) = 0; for my $n (1 .. ${count}) { open(my $f, ">", "f$n") or last; push @held, $f; unlink "f$n"; my $some = syswrite($f, "x" x ${mib}); last if !defined $some; $all += $some; select(undef, undef, undef, ${pause}) } print $all`,
];

let workspace: TurnWorkspace | undefined;
afterEach(() => workspace?.close());

test("a file system of the layer's own refuses what goes beyond its blocks", async () => {
  workspace = turnWorkspace({ sandbox: { quota: "memory", layerBytes: 32 * mib } });
  const result = await workspace.run({ command: unlinked(400), limits: { layerBytes: 2 ** 40 } });
  expect(result.error).toBeNull();
  const { stdout } = result.result as { stdout: string };
  expect(Number(stdout)).toBeGreaterThan(16 * mib);
  expect(Number(stdout)).toBeLessThanOrEqual(32 * mib);
  expect(result.evidence.isolation?.["layers"]).toContain("layer_quota");
});

test("a smaller limit of one turn ends it", async () => {
  workspace = turnWorkspace({ sandbox: { quota: "memory" } });
  const result = await workspace.run({ command: unlinked(4000, 0.01), limits: { layerBytes: 16 * mib } });
  expect(result.error?.code).toBe("TURN_LIMIT");
});

test("where the layer lies on the disk, a turn that holds too much open without a name is ended", async () => {
  workspace = turnWorkspace({ sandbox: { quota: "watched" } });
  const before = statfsSync(workspace.root);
  const result = await workspace.run({ command: unlinked(4000, 0.01), limits: { layerBytes: 16 * mib } });
  expect(result.error?.code).toBe("TURN_LIMIT");
  expect(result.evidence.isolation?.["layers"]).not.toContain("layer_quota");
  expect(before.bsize).toBeGreaterThan(0);
});

test("as many files as a layer may have, and no more", async () => {
  workspace = turnWorkspace({ sandbox: { quota: "memory" } });
  const script = `for my $n (1 .. 400000) { open(my $f, ">", "n$n") or last } print "done"`;
  const result = await workspace.run({ command: ["perl", "-e", script], limits: { layerFiles: 500 } });
  expect(result.error?.code).toBe("TURN_LIMIT");
});

test.runIf(isRoot)("an ordinary user's turns are held the same way", async () => {
  const folder = mkdtempSync("/var/tmp/writ-quota-");
  const root = join(folder, "workspace");
  mkdirSync(root);
  for (const each of [folder, root]) {
    chmodSync(each, 0o755);
    chownSync(each, nobody, nobody);
  }
  const script = joined(fileURLToPath(new URL("../support/turn-server.ts", import.meta.url)));
  const drop = ["--reuid", String(nobody), "--regid", String(nobody), "--clear-groups"];
  const server = spawn("setpriv", [...drop, process.execPath, script, root], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { HOME: folder, PATH: "/usr/bin:/bin" },
  });
  const request = {
    command: unlinked(4000, 0.01),
    outputs: [],
    capabilities: { read: ["**"], write: ["**"] },
    limits: { layerBytes: 16 * mib },
  };
  server.stdin.end(`${JSON.stringify(request)}\n`);
  const { value } = await createInterface({ input: server.stdout })[Symbol.asyncIterator]().next();
  const { result } = JSON.parse(String(value)) as { result: TurnResultV1 };
  expect(result.error?.code).toBe("TURN_LIMIT");
  expect(result.evidence.isolation?.["layers"]).toContain("layer_quota");
  await new Promise((resolve) => server.once("exit", resolve));
  removeWholeTree(folder);
});

describe("when Writ is killed in a turn", () => {
  const writ = join(import.meta.dirname, "..", "..", "bin", "writ.js");

  test.each(isRoot ? [0, nobody] : [process.getuid?.() ?? 0])("no process of it survives, as user %i", async (uid) => {
    built();
    const folder = mkdtempSync("/var/tmp/writ-killed-");
    chmodSync(folder, 0o755);
    if (isRoot) chownSync(folder, uid, uid);
    const start = (...args: readonly string[]) =>
      spawn(process.execPath, [writ, ...args], {
        cwd: folder,
        env: { ...bareEnvironment(), HOME: folder },
        stdio: "ignore",
        ...(isRoot ? { uid, gid: uid } : {}),
      });
    await new Promise((resolve) => start("init").once("exit", resolve));
    const mark = `31536${process.pid}${uid}`;
    const command = ["sh", "-c", `sleep ${mark} & setsid sleep ${mark} & (trap '' TERM HUP; sleep ${mark})`];
    const running = start("tool", "call", "exec", JSON.stringify({ command, timeout_seconds: 300 }));
    await expect.poll(() => processesWith(`sleep ${mark}`).length, { timeout: 60_000 }).toBeGreaterThanOrEqual(3);
    expect(running.kill("SIGKILL")).toBe(true);
    await expect.poll(() => processesWith(mark), { timeout: 30_000 }).toEqual([]);
    removeWholeTree(folder);
  });
});

/** Command lines of running processes that hold a text. */
function processesWith(text: string): readonly string[] {
  return readdirSync("/proc").flatMap((pid) => {
    if (!/^\d+$/.test(pid) || pid === String(process.pid)) return [];
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
      return line.includes(text) ? [line.slice(0, 200)] : [];
    } catch {
      return []; // it ended meanwhile
    }
  });
}
