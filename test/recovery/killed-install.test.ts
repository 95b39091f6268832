// kill -9 at any moment of an install, an upgrade or a removal: afterwards the old tree or the new one, never a mixture.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { shippedRegistry } from "#core/contracts";
import { seededRandom, sleep, systemClock } from "#core/values";
import { withPackageLock } from "../../src/governance/packages/adapters/package-lock.ts";
import { recoverChanges } from "../../src/governance/packages/adapters/transaction.ts";
import { workspaceHome } from "../../src/governance/packages/homes.ts";
import { keyHash } from "../../src/governance/packages/signature.ts";
import { joined } from "../support/joined.ts";
import { archiveOf, packageBench, testKey, treeOf, value } from "../support/packages.ts";
import { writ, writJson } from "../support/resident-writ.ts";

const kills = process.env["WRIT_CAMPAIGN"] === "1" ? 1000 : 16;
const schema = (mark: string) => JSON.stringify({ $id: "killed_v1", title: mark.repeat(400), type: "object" });
const files = (mark: string) =>
  Object.fromEntries(
    [
      "skills/a/SKILL.md",
      "skills/b c/SKILL.md",
      "hooks/x.js",
      "agents/killed.md",
      `skills/${mark}/only.md`,
      "schemas/killed_v1.json",
    ].map((path) => [path, path.endsWith(".json") ? schema(mark) : `${mark} ${path}\n`.repeat(40)]),
  );
const installer = joined(join(import.meta.dirname, "package-installer.mjs"));
const archives = mkdtempSync(join(tmpdir(), "writ-killed-"));
const states = new Map<string, string>();

/** The tree without what differs between two installs of one package: the time on its receipt. */
const shape = (root: string) =>
  JSON.stringify(treeOf(root, /^(planes\/|writ\.yaml|packages\/\.lock|packages\/.*\/receipt\.json)/));

beforeAll(async () => {
  for (const [name, version] of [
    ["v1", "1.0.0"],
    ["v2", "2.0.0"],
  ] as const)
    writeFileSync(join(archives, `${name}.tar`), archiveOf({ id: "PKG-KILLED-001", version, files: files(name) }));
  await using bench = await packageBench();
  states.set(shape(bench.root), "none");
  for (const name of ["v1", "v2"]) {
    value(await bench.installer().install(join(archives, `${name}.tar`)));
    states.set(shape(bench.root), name);
  }
  expect(states.size).toBe(3);
});
afterAll(() => rmSync(archives, { recursive: true, force: true }));

/** Runs the installer until it is killed after so many milliseconds, or kills itself at a failpoint; answers the states it told. */
async function runUntilKilled(
  root: string,
  how: { readonly after: number; readonly ms: number } | { readonly at: string },
): Promise<readonly string[]> {
  const args = [installer, root, archives, keyHash(testKey)];
  const child = spawn(process.execPath, "at" in how ? [...args, how.at] : args, { stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  let wrong = "";
  child.stderr.on("data", (data: Buffer) => (wrong += data.toString()));
  const ready = new Promise<void>((resolve) =>
    child.stdout.on("data", (data: Buffer) => {
      said += data.toString();
      if ("ms" in how && said.split("\n").length > how.after + 1) resolve();
    }),
  );
  const ended = new Promise<string | null>((resolve) => child.on("close", (_, signal) => resolve(signal)));
  if ("ms" in how) {
    await Promise.race([ready, ended]);
    await sleep(systemClock, how.ms);
    child.kill("SIGKILL");
  }
  expect({ signal: await ended, wrong }).toEqual({ signal: "SIGKILL", wrong: "" });
  return said.trimEnd().split("\n").slice(1);
}

async function recovered(root: string): Promise<string> {
  const home = workspaceHome(root);
  const schemas = shippedRegistry();
  value(await withPackageLock(home, { clock: systemClock, waitMs: 20_000 }, async () => recoverChanges(home, schemas)));
  return states.get(shape(root)) ?? `mixed: ${Object.keys(JSON.parse(shape(root)) as object).join(", ")}`;
}

const next: Readonly<Record<string, readonly string[]>> = {
  none: ["none", "v1"],
  v1: ["v1", "v2"],
  v2: ["v2", "none"],
};

describe("an installer that is killed", () => {
  test(
    `at ${kills} random moments leaves the old tree or the new one`,
    async () => {
      const lane = async (count: number, seed: number) => {
        await using bench = await packageBench();
        const random = seededRandom(seed);
        let state = "none";
        const seen = new Set<string>();
        for (let kill = 0; kill < count; kill += 1) {
          const told = await runUntilKilled(bench.root, {
            after: (random.bytes(1)[0] ?? 0) % 4,
            ms: (random.bytes(1)[0] ?? 0) / 4,
          });
          state = told.filter((each) => each !== "kept").at(-1) ?? state;
          const found = await recovered(bench.root);
          expect(next[state], `kill ${kill}: last told ${state}`).toContain(found);
          state = found;
          seen.add(state);
        }
        return seen;
      };
      const seen = await Promise.all([lane(kills / 2, 1), lane(kills / 2, 2)]);
      expect(new Set(seen.flatMap((each) => [...each])).size).toBeGreaterThan(1); // it was killed at different places
    },
    Math.max(300_000, 3_600 * kills),
  );

  test.each([
    ["staging", "none"],
    ["staged", "none"],
    ["verified", "none"],
    ["journaled", "v1"],
    ["moved", "v1"],
    ["settled", "v1"],
    ["ended", "v1"],
  ])("at %s leaves %s", async (point, state) => {
    await using bench = await packageBench();
    await runUntilKilled(bench.root, { at: point });
    expect(await recovered(bench.root)).toBe(state);
  });
});

describe("an interrupted install is named and rolled forward", () => {
  const changedNothing = "the install of PKG-KILLED-001 was interrupted: it had changed nothing";
  const isFinished = "the install of PKG-KILLED-001 was interrupted: it is finished now";
  test.each([
    ["staged", "writ pkg verify", changedNothing, "none"],
    ["staged", "writ doctor", changedNothing, "none"],
    ["journaled", "writ pkg verify", isFinished, "v1"],
    ["moved", "writ doctor", isFinished, "v1"],
    ["settled", "writ pkg verify", isFinished, "v1"],
  ])("killed at %s: by %s", async (point, command, said, state) => {
    const argv = command.split(" ").slice(1);
    await using bench = await packageBench();
    writeFileSync(join(bench.root, "writ.yaml"), `version: 1\npackages: { trust_roots: [${keyHash(testKey)}] }\n`);
    await runUntilKilled(bench.root, { at: point });
    const first = await writ(argv, { cwd: bench.root });
    expect(first.stdout.replaceAll(/\s+/g, " ")).toContain(said);
    expect(states.get(shape(bench.root))).toBe(state);
    const again = await writ(argv, { cwd: bench.root });
    expect(again.stdout).not.toContain("interrupted");
    expect((await writ(["gate", "check"], { cwd: bench.root })).status).toBe(0);
  });

  test("one that cannot be finished is named as a finding", async () => {
    await using bench = await packageBench();
    writeFileSync(join(bench.root, "writ.yaml"), `version: 1\npackages: { trust_roots: [${keyHash(testKey)}] }\n`);
    await runUntilKilled(bench.root, { at: "moved" });
    writeFileSync(join(bench.root, "packages/.journal.json"), "{"); // no process can finish this one
    const { status, json } = await writJson<{ findings: { message: string }[] }>(["pkg", "verify"], {
      cwd: bench.root,
    });
    expect(status).toBe(1);
    expect(json.findings[0]?.message).toContain("was interrupted in packages/ and cannot be finished");
  });
});
