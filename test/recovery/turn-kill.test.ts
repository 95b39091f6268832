import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test } from "vitest";
import { createIds, sleep, systemClock, systemRandom } from "#core/values";
import { recoverTurns } from "../../src/effects/turns/recover-turns.ts";
import { takeSessionFrom } from "../../src/effects/turns/take-session.ts";
import { openTurnStore } from "../../src/effects/turns/turn-store.ts";
import { joined } from "../support/joined.ts";
import { eventsOf, openTurnLog } from "../support/turn-log.ts";

const victim = joined(fileURLToPath(new URL("../support/turn-victim.ts", import.meta.url)));
const roots: string[] = [];
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true, force: true });
});

function workspace(): string {
  const root = mkdtempSync("/var/tmp/writ-kill-");
  roots.push(root);
  writeFileSync(join(root, "changed.txt"), "old\n");
  writeFileSync(join(root, "removed.txt"), "old\n");
  mkdirSync(join(root, "deep"));
  return root;
}

function start(...args: string[]): ChildProcess {
  return spawn(process.execPath, [victim, ...args], { stdio: ["ignore", "pipe", "inherit"] });
}

async function ended(child: ChildProcess): Promise<{ lines: string[]; signal: NodeJS.Signals | null }> {
  let text = "";
  child.stdout?.on("data", (chunk: Buffer) => (text += chunk.toString()));
  const signal = await new Promise<NodeJS.Signals | null>((resolve) => child.once("close", (_, how) => resolve(how)));
  return { lines: text.trim().split("\n"), signal };
}

type Landed = "all" | "none";

/** Which of the declared set is there; anything between all and none is the defect that this file looks for. */
function landed(root: string): Landed {
  const signs = [
    readFileSync(join(root, "changed.txt"), "utf8") === "changed\n",
    !existsSync(join(root, "removed.txt")),
    existsSync(join(root, "deep/er/new.txt")) && readFileSync(join(root, "deep/er/new.txt"), "utf8") === "new\n",
    existsSync(join(root, "new.txt")),
  ];
  expect(new Set(signs).size, `all or none, not ${signs.join()}`).toBe(1);
  return signs[0] ? "all" : "none";
}

async function recover(root: string, sessionId: string): Promise<string[]> {
  const log = openTurnLog(root);
  const store = openTurnStore({ root, clock: systemClock, ids: createIds(systemClock, systemRandom) });
  const recovered = await recoverTurns({ root, store, takeSession: takeSessionFrom(log) });
  expect(recovered.ok, JSON.stringify(recovered)).toBe(true);
  const types = (await eventsOf(log, sessionId)).map((event) => event.type).filter((type) => type.startsWith("turn."));
  expect(readdirSync(join(root, "planes/hot/turns/running"))).toEqual([]);
  store.close();
  await log.shutdown();
  return types;
}

const before = ["turn.before_start", "turn.started", "turn.ran", "turn.commit.staged"];
const after = [
  "turn.commit.promised",
  "turn.commit.step.0",
  "turn.commit.step.2",
  "turn.commit.step.4",
  "turn.commit.applied",
  "turn.commit.recorded",
];

describe("kill -9 of Writ in a turn: after the next open the whole declared set is there or none, and the ledgers say which", () => {
  test.each(before)("at %s: none", async (failpoint) => {
    const root = workspace();
    const { lines, signal } = await ended(start(root, failpoint));
    expect(signal).toBe("SIGKILL");
    const types = await recover(root, lines[0] ?? "");
    expect(landed(root)).toBe("none");
    expect(types).toEqual(failpoint === "turn.before_start" ? [] : ["turn.started", "turn.aborted"]);
  });

  test.each(after)("at %s: all", async (failpoint) => {
    const root = workspace();
    const { lines, signal } = await ended(start(root, failpoint));
    expect(signal).toBe("SIGKILL");
    const types = await recover(root, lines[0] ?? "");
    expect(landed(root)).toBe("all");
    expect(types).toEqual(["turn.started", "turn.committed"]);
  });

  test.each(["turn.commit.step.1", "turn.recover.applied", "turn.recover.recorded"])(
    "also when recovery itself is killed, at %s",
    async (failpoint) => {
      const root = workspace();
      const { lines } = await ended(start(root, "turn.commit.promised"));
      const second = await ended(start(root, failpoint, "recover"));
      expect(second.signal).toBe("SIGKILL");
      const types = await recover(root, lines[0] ?? "");
      expect(landed(root)).toBe("all");
      expect(types).toEqual(["turn.started", "turn.committed"]);
    },
  );

  test("at the moment of quarantine: none, and nothing of the stray write", async () => {
    const root = workspace();
    const { lines, signal } = await ended(start(root, "turn.quarantined", "undeclared"));
    expect(signal).toBe("SIGKILL");
    const types = await recover(root, lines[0] ?? "");
    expect(types).toEqual(["turn.started", "turn.aborted"]);
    expect(readFileSync(join(root, "changed.txt"), "utf8")).toBe("old\n");
    expect(existsSync(join(root, "stray.txt"))).toBe(false);
  });

  test("while the command runs: the command dies with Writ, and nothing of it is kept", async () => {
    const root = workspace();
    const child = start(root, "never", "slow");
    const done = ended(child);
    while (!isRunning("987.654")) await sleep(systemClock, 20);
    child.kill("SIGKILL");
    const { lines } = await done;
    await expect.poll(() => isRunning("987.654")).toBe(false);
    expect(await recover(root, lines[0] ?? "")).toEqual(["turn.started", "turn.aborted"]);
    expect(landed(root)).toBe("none");
  });

  test("a turn that nobody killed needs no recovery", async () => {
    const root = workspace();
    const { lines } = await ended(start(root, "never"));
    expect(landed(root)).toBe("all");
    expect(await recover(root, lines[0] ?? "")).toEqual(["turn.started", "turn.committed"]);
  });
});

function isRunning(argument: string): boolean {
  return readdirSync("/proc").some((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return readFileSync(`/proc/${name}/cmdline`, "utf8").includes(`sleep\0${argument}`);
    } catch {
      return false; // it ended between listing and reading
    }
  });
}
