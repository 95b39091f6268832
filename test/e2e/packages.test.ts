// Seed 000's end-to-end install test, and what an install promises while the world goes on around it.
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { shippedRegistry } from "#core/contracts";
import { sha256, systemClock } from "#core/values";
import { type Framework, GateService } from "#governance";
import { gateIds } from "../../src/governance/gates/gate.ts";
import { shippedHome, workspaceHome } from "../../src/governance/packages/homes.ts";
import { mock, trusting } from "../support/mock-framework.ts";
import { archiveOf, buildKey, packageBench, treeOf, value } from "../support/packages.ts";
import { testWorkspace } from "../support/runtime-workspace.ts";
import { writJson } from "../support/writ.ts";

const shipped = (package_id: string) => join(shippedHome.root, shippedHome.folder, package_id, "archive.tar");
const chain = (
  parse(readFileSync(join(shippedHome.root, "registries/package_chain.yaml"), "utf8")) as {
    packages: { package_id: string; layer: number }[];
  }
).packages;

describe("the seed's end-to-end install test", () => {
  test("the chain is the seed's: eight packages of layers 0 to 2, then five of layer 3, none of them without what it builds upon", () => {
    expect(chain.filter(({ layer }) => layer < 3)).toHaveLength(8);
    expect(chain.slice(-5).map(({ package_id }) => package_id)).toEqual([
      "PKG-PHASE2-SCHEMAS-001",
      "PKG-TOKEN-BUDGETER-001",
      "PKG-PROMPT-ROUTER-001",
      "PKG-ATTENTION-001",
      "PKG-FLOW-RUNNER-001",
    ]);
  });

  test("installing the whole chain from an empty folder passes every gate at every step; then a mock framework runs an order", async () => {
    await using workspace = await testWorkspace({ ...trusting });
    await using bench = await packageBench();
    const root = bench.root;
    const installer = bench.installer({ beneath: [] }); // a clean room: nothing of what Writ ships is beneath it
    const gates = new GateService({
      homes: [workspaceHome(root)],
      schemas: shippedRegistry(),
      clock: systemClock,
      trust: { build: buildKey(), workspace: null, roots: [] },
      workspaceKey: bench.key,
      lockWaitMs: 5000,
      log: workspace.runtime.log,
      verifyLedgers: async () => ({ checked: 0, findings: [] }),
    });
    for (const { package_id } of chain) {
      expect(value(await installer.install(shipped(package_id))), package_id).toMatchObject({
        state: "new",
        trusted_as: "build",
      });
      const report = await gates.check(gateIds);
      expect(
        report.gates.filter(({ passed }) => !passed),
        package_id,
      ).toEqual([]);
    }
    // What was installed is what Writ ships, byte for byte.
    const tree = treeOf(root, /^(planes|packages)\/|^(README\.md|writ\.yaml|\.gitignore)$/);
    expect(Object.keys(tree).length).toBeGreaterThan(100);
    for (const [path, hash] of Object.entries(tree))
      expect(hash, path).toBe(sha256(readFileSync(join(shippedHome.root, path))));

    // What lies beneath a workspace is looked at once a second: a process reads it once, so that a change acts only in the next one.
    let passed = 0;
    const beneath = new GateService({
      homes: [{ ...workspaceHome(root), name: "shipped" }],
      schemas: shippedRegistry(),
      // Nothing counts as changed just now.
      clock: { ...systemClock, now: () => systemClock.now() + 1_000, monotonic: () => passed },
      trust: { build: buildKey(), workspace: null, roots: [] },
      workspaceKey: bench.key,
      lockWaitMs: 5000,
      log: workspace.runtime.log,
      verifyLedgers: async () => ({ checked: 0, findings: [] }),
    });
    const framework = { manifest: { framework_id: "FMWK-005", required_gates: ["G0A"] } } as unknown as Framework;
    for (const look of ["read", "unchanged", "unchanged again"])
      expect(await beneath.confirm(framework), look).toMatchObject({ ok: true });
    appendFileSync(join(root, Object.keys(tree)[0] as string), "\n");
    passed += 999;
    expect(await beneath.confirm(framework), "within the second").toMatchObject({ ok: true });
    passed += 1;
    expect(await beneath.confirm(framework)).toMatchObject({ ok: false, error: { code: "GATE_DENIED" } });

    // Integration: mock framework, work order, run, ledger entries, debit, response.
    // Over what Writ ships, the chain's registries name frameworks of later packages: it is installed as one or not at all.
    const archives = chain.map(({ package_id }) => readFileSync(shipped(package_id)));
    expect(await workspace.runtime.packages.installer.installArchive(archives[0] as Buffer)).toMatchObject({
      error: { code: "PACKAGE_REFUSED", details: { gate: "G1" } },
    });
    value(await workspace.runtime.packages.installer.installArchives(archives));
    value(await workspace.runtime.packages.installer.installArchive(mock()));
    await workspace.reopen();
    expect((await workspace.runtime.gates.check(gateIds)).gates.flatMap(({ findings }) => findings)).toEqual([]);
    const result = await workspace.order({ framework_id: "FMWK-900", spec_id: "SPEC-MOCK-001" });
    expect(result.error).toBe(null);
    expect(result).toMatchObject({ status: "success", response: expect.stringMatching(/./) });
    const types = (await workspace.events(result.session_id)).map(({ type }) => type);
    expect(types).toEqual(expect.arrayContaining(["wo.started", "budget.updated", "wo.completed"]));
    expect(result.tokens_used?.output).toBeGreaterThan(0);
    expect((await workspace.runtime.gates.check(gateIds)).ok).toBe(true);
  });

  test("out of order, a package of the chain is refused and names what it needs", async () => {
    await using bench = await packageBench();
    expect(await bench.installer({ beneath: [] }).install(shipped("PKG-FLOW-RUNNER-001"))).toMatchObject({
      ok: false,
      error: { code: "PACKAGE_CONFLICT", message: expect.stringContaining("PKG-KERNEL-001") },
    });
  });
});

describe("packages beside each other", () => {
  test("no package overwrites another's file, however the name is spelled", async () => {
    await using bench = await packageBench();
    const installer = bench.installer();
    value(await installer.installArchive(archiveOf({ id: "PKG-A", files: { "skills/one/SKILL.md": "a" } })));
    for (const path of ["skills/one/SKILL.md", "skills/ONE/skill.md", "skills/one"])
      expect(
        await installer.installArchive(archiveOf({ id: "PKG-B", files: { [path]: "b", "hooks/b.js": "b" } })),
      ).toMatchObject({
        error: { code: "PACKAGE_CONFLICT" },
      });
    expect(readFileSync(join(bench.root, "skills/one/SKILL.md"), "utf8")).toBe("a");
    expect(existsSync(join(bench.root, "hooks/b.js"))).toBe(false);
  });

  test("a file that a person wrote is not overwritten; one that is equal is taken over", async () => {
    await using bench = await packageBench();
    await mkdir(join(bench.root, "skills/mine"), { recursive: true });
    await writeFile(join(bench.root, "skills/mine/SKILL.md"), "mine");
    const bring = (text: string) =>
      bench.installer().installArchive(archiveOf({ files: { "skills/mine/SKILL.md": text } }));
    expect(await bring("theirs")).toMatchObject({ error: { code: "PACKAGE_CONFLICT" } });
    expect(readFileSync(join(bench.root, "skills/mine/SKILL.md"), "utf8")).toBe("mine");
    expect(value(await bring("mine")).state).toBe("new");
  });

  test("dependencies hold by version and layer; nothing is removed that another needs", async () => {
    await using bench = await packageBench();
    const installer = bench.installer();
    const needing = (version: string, layer = 5) =>
      archiveOf({
        id: "PKG-TOP",
        layer,
        dependencies: [{ package_id: "PKG-BASE", version }],
        files: { "hooks/top.js": "t" },
      });
    expect(await installer.installArchive(needing("1.0.0"))).toMatchObject({
      error: { message: expect.stringContaining("not installed") },
    });
    value(
      await installer.installArchive(archiveOf({ id: "PKG-BASE", version: "1.1.0", files: { "hooks/base.js": "b" } })),
    );
    expect(await installer.installArchive(needing("1.2.0"))).toMatchObject({
      error: { message: expect.stringContaining("or newer") },
    });
    expect(await installer.installArchive(needing("1.0.0", 1))).toMatchObject({
      error: { message: expect.stringContaining("lower layers") },
    });
    value(await installer.installArchive(needing("1.0.0")));
    expect(await installer.remove("PKG-BASE")).toMatchObject({
      error: { message: expect.stringContaining("PKG-TOP") },
    });
    value(await installer.remove("PKG-TOP"));
    value(await installer.remove("PKG-BASE"));
    expect(readdirSync(join(bench.root, "hooks"))).toEqual([]);
  });

  test("an upgrade replaces, adds and takes away; the same again changes nothing; older, or changed without a new version, is refused", async () => {
    await using bench = await packageBench();
    const installer = bench.installer();
    const at = (version: string, files: Record<string, string>) => archiveOf({ version, files });
    value(await installer.installArchive(at("1.0.0", { "skills/a.md": "1", "skills/gone/b.md": "1" })));
    const upgrade = at("1.1.0", { "skills/a.md": "2", "skills/new/c.md": "2" });
    expect(value(await installer.installArchive(upgrade)).state).toBe("upgrade");
    expect(Object.keys(treeOf(join(bench.root, "skills")))).toEqual(["a.md", "new/c.md"]);
    expect(value(await installer.installArchive(upgrade)).state).toBe("already");
    expect((await installer.installArchive(at("1.0.0", { "skills/a.md": "1" }))).ok).toBe(false);
    expect((await installer.installArchive(at("1.1.0", { "skills/a.md": "3" }))).ok).toBe(false);
  });

  test("a package whose spec leads to no framework is not let in", async () => {
    await using bench = await packageBench();
    expect(await bench.installer().installArchive(archiveOf({ spec: "SPEC-NOWHERE-001" }))).toMatchObject({
      error: { code: "PACKAGE_REFUSED", details: { gate: "G1" } },
    });
    expect(readdirSync(join(bench.root, "packages")).filter((name) => name !== ".lock" && name !== ".staging")).toEqual(
      [],
    );
  });

  test("a link in the workspace leads no package out of it", async () => {
    await using bench = await packageBench();
    const outside = mkdtempSync(join(tmpdir(), "writ-outside-"));
    rmSync(join(bench.root, "skills"), { recursive: true });
    symlinkSync(outside, join(bench.root, "skills"));
    expect((await bench.installer().installArchive(archiveOf())).ok).toBe(false);
    expect(readdirSync(outside)).toEqual([]);
    expect(existsSync(join(bench.root, "packages/PKG-TEST-001"))).toBe(false);
    rmSync(outside, { recursive: true });
  });
});

describe("a file swapped between check and install", () => {
  test("in staging before the journal is caught, and nothing is changed", async () => {
    await using bench = await packageBench();
    const before = treeOf(bench.root);
    expect(await swapAt(bench, "staged")).toMatchObject({ ok: false, error: { code: "PACKAGE_REFUSED" } });
    expect(treeOf(bench.root)).toEqual(before);
  });

  test("in staging after the journal is caught, and the old tree comes back", async () => {
    await using bench = await packageBench();
    value(
      await bench
        .installer()
        .installArchive(archiveOf({ version: "0.9.0", files: { "skills/example/SKILL.md": "old" } })),
    );
    const before = treeOf(bench.root);
    expect(await swapAt(bench, "journaled")).toMatchObject({
      ok: false,
      error: { code: "PACKAGE_REFUSED", message: expect.stringContaining("expected the hash") },
    });
    expect(treeOf(bench.root)).toEqual(before);
  });

  test("the archive itself may change after it was read: what was checked is what is installed", async () => {
    await using bench = await packageBench();
    const file = join(bench.root, "x.tar");
    writeFileSync(file, archiveOf());
    const installer = bench.installer({ failpoint: (name) => name === "staged" && writeFileSync(file, "swapped") });
    value(await installer.install(file));
    expect(readFileSync(join(bench.root, "skills/example/SKILL.md"), "utf8")).toBe("# Example\n");
    expect(readFileSync(join(bench.root, "packages/PKG-TEST-001/archive.tar")).equals(archiveOf())).toBe(true);
  });

  async function swapAt(bench: Awaited<ReturnType<typeof packageBench>>, point: string) {
    const staging = join(bench.root, "packages/.staging");
    const installer = bench.installer({
      failpoint: (name) => {
        if (name !== point) return;
        for (const id of readdirSync(staging)) writeFileSync(join(staging, id, "new/0"), "swapped");
      },
    });
    return installer.installArchive(archiveOf());
  }
});

describe("at once", () => {
  test("two installs of packages that want the same file: one wins whole, the other is refused", async () => {
    await using bench = await packageBench();
    const bring = (id: string) =>
      bench
        .installer()
        .installArchive(archiveOf({ id, files: { "skills/same/SKILL.md": id, [`hooks/${id}.js`]: id } }));
    const results = await Promise.all([bring("PKG-A"), bring("PKG-B")]);
    expect(results.filter(({ ok }) => ok)).toHaveLength(1);
    const winner = results[0]?.ok ? "PKG-A" : "PKG-B";
    expect(readFileSync(join(bench.root, "skills/same/SKILL.md"), "utf8")).toBe(winner);
    expect(readdirSync(join(bench.root, "hooks"))).toEqual([`${winner}.js`]);
  });

  test("two processes install different packages, and both are there", async () => {
    await using bench = await packageBench();
    await writeFile(
      join(bench.root, "writ.yaml"),
      stringify({ version: 1, ...trusting.config, limits: { lock_wait_seconds: 20 } }),
    );
    const results = await Promise.all(
      ["PKG-A", "PKG-B"].map((id) => {
        writeFileSync(join(bench.root, `${id}.tar`), archiveOf({ id, files: { [`hooks/${id}.js`]: id } }));
        return writJson<object>(["pkg", "install", `${id}.tar`], { cwd: bench.root });
      }),
    );
    expect(results.map(({ status }) => status)).toEqual([0, 0]);
    const { json } = await writJson<{ packages: { package_id: string; home: string }[] }>(["pkg", "list"], {
      cwd: bench.root,
    });
    expect(json.packages.filter(({ home }) => home === "workspace").map(({ package_id }) => package_id)).toEqual([
      "PKG-A",
      "PKG-B",
    ]);
  });

  test("an install, upgrades and a removal while flows run: every flow succeeds", async () => {
    await using workspace = await testWorkspace({ ...trusting });
    const { installer } = workspace.runtime.packages;
    let going = true;
    const flows = Array.from({ length: 3 }, async () => {
      const results = [];
      while (going || results.length === 0) results.push(await workspace.order());
      return results;
    });
    for (let version = 1; version <= 6; version += 1) {
      value(await installer.installArchive(mock({ version: `${version}.0.0` })));
      if (version % 3 === 0) value(await installer.remove("PKG-MOCK-001"));
    }
    going = false;
    const results = (await Promise.all(flows)).flat();
    expect(results.filter(({ status }) => status !== "success")).toEqual([]);
  });
});
