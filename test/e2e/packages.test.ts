// Seed 000's end-to-end install test, and what an install promises while the world goes on around it.
import { generateKeyPairSync } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { appendFile, mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { sha256, systemClock, systemRandom } from "#base";
import { buildFromFolder, GateDesk, openPackages, shippedHome, workspaceHome } from "#compose";
import { fileGates, gateIds, keyHash } from "#governance";
import { shippedRegistry } from "#schemas";
import { archiveOf, buildKey, packageBench, testKey, treeOf, value } from "../support/packages.ts";
import { testWorkspace } from "../support/runtime-workspace.ts";
import { writ, writJson } from "../support/writ.ts";

const shipped = (package_id: string) => join(shippedHome.root, shippedHome.folder, package_id, "archive.tar");
const chain = (
  parse(readFileSync(join(shippedHome.root, "registries/package_chain.yaml"), "utf8")) as {
    packages: { package_id: string; layer: number }[];
  }
).packages;

/** A framework of one's own, with its registry rows, as files of a package. */
const mockFramework = (gates: readonly string[] = ["G0", "G1", "G5"]) => ({
  "frameworks/FMWK-900_Mock/manifest.yaml": stringify({
    framework_id: "FMWK-900",
    title: "Mock",
    version: "1.0.0",
    status: "active",
    ring: "resident",
    plane_id: "ho1",
    expected_specs: ["SPEC-MOCK-001"],
    path_authorizations: ["**"],
    required_gates: gates,
    agent_classes: ["RESIDENT"],
    default_agent_class: "RESIDENT",
    prompt_contracts: ["PRC-ANSWER-001"],
  }),
  "frameworks/FMWK-900_Mock/prompt_contracts/PRC-ANSWER-001.yaml": readFileSync(
    join(shippedHome.root, "frameworks/FMWK-005_Agent_Orchestration/prompt_contracts/PRC-ANSWER-001.yaml"),
    "utf8",
  ),
  "registries/PKG-MOCK-001/frameworks_registry.csv":
    "framework_id,title,status,version,plane_id,path\nFMWK-900,Mock,active,1.0.0,ho1,frameworks/FMWK-900_Mock\n",
  "registries/PKG-MOCK-001/specs_registry.csv":
    "spec_id,title,framework_id,status,version\nSPEC-MOCK-001,Mock,FMWK-900,active,1.0.0\n",
});
const mock = (changes: object = {}) =>
  archiveOf({ id: "PKG-MOCK-001", spec: "SPEC-MOCK-001", framework: "FMWK-900", files: mockFramework(), ...changes });
const trusting = { config: { packages: { trust_roots: [keyHash(testKey)] } } };

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
    const desk = bench.desk({ beneath: [] }); // a clean room: nothing of what Writ ships is beneath it
    const gates = new GateDesk({
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
      expect(value(await desk.install(shipped(package_id))), package_id).toMatchObject({
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

    // Integration: mock framework, work order, run, ledger entries, debit, response.
    for (const { package_id } of chain) value(await workspace.runtime.packages.desk.install(shipped(package_id)));
    value(await workspace.runtime.packages.desk.installArchive(mock()));
    await workspace.reopen();
    expect((await workspace.runtime.gates.check(gateIds)).gates.flatMap(({ findings }) => findings)).toEqual([]);
    const result = await workspace.order({ framework_id: "FMWK-900", spec_id: "SPEC-MOCK-001" });
    expect(result).toMatchObject({ status: "success", response: expect.stringMatching(/./) });
    const types = (await workspace.events(result.session_id)).map(({ type }) => type);
    expect(types).toEqual(expect.arrayContaining(["wo.started", "budget.updated", "wo.completed"]));
    expect(result.tokens_used?.output).toBeGreaterThan(0);
    expect((await workspace.runtime.gates.check(gateIds)).ok).toBe(true);
  }, 120_000);

  test("out of order, a package of the chain is refused and names what it needs", async () => {
    await using bench = await packageBench();
    expect(await bench.desk({ beneath: [] }).install(shipped("PKG-FLOW-RUNNER-001"))).toMatchObject({
      ok: false,
      error: { code: "PACKAGE_CONFLICT", message: expect.stringContaining("PKG-KERNEL-001") },
    });
  });
});

describe("packages beside each other", () => {
  test("no package overwrites another's file, however the name is spelled", async () => {
    await using bench = await packageBench();
    const desk = bench.desk();
    value(await desk.installArchive(archiveOf({ id: "PKG-A", files: { "skills/one/SKILL.md": "a" } })));
    for (const path of ["skills/one/SKILL.md", "skills/ONE/skill.md", "skills/one"])
      expect(
        await desk.installArchive(archiveOf({ id: "PKG-B", files: { [path]: "b", "hooks/b.js": "b" } })),
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
    const bring = (text: string) => bench.desk().installArchive(archiveOf({ files: { "skills/mine/SKILL.md": text } }));
    expect(await bring("theirs")).toMatchObject({ error: { code: "PACKAGE_CONFLICT" } });
    expect(readFileSync(join(bench.root, "skills/mine/SKILL.md"), "utf8")).toBe("mine");
    expect(value(await bring("mine")).state).toBe("new");
  });

  test("dependencies hold by version and layer; nothing is removed that another needs", async () => {
    await using bench = await packageBench();
    const desk = bench.desk();
    const needing = (version: string, layer = 5) =>
      archiveOf({
        id: "PKG-TOP",
        layer,
        dependencies: [{ package_id: "PKG-BASE", version }],
        files: { "hooks/top.js": "t" },
      });
    expect(await desk.installArchive(needing("1.0.0"))).toMatchObject({
      error: { message: expect.stringContaining("not installed") },
    });
    value(await desk.installArchive(archiveOf({ id: "PKG-BASE", version: "1.1.0", files: { "hooks/base.js": "b" } })));
    expect(await desk.installArchive(needing("1.2.0"))).toMatchObject({
      error: { message: expect.stringContaining("or newer") },
    });
    expect(await desk.installArchive(needing("1.0.0", 1))).toMatchObject({
      error: { message: expect.stringContaining("lower layers") },
    });
    value(await desk.installArchive(needing("1.0.0")));
    expect(await desk.remove("PKG-BASE")).toMatchObject({ error: { message: expect.stringContaining("PKG-TOP") } });
    value(await desk.remove("PKG-TOP"));
    value(await desk.remove("PKG-BASE"));
    expect(readdirSync(join(bench.root, "hooks"))).toEqual([]);
  });

  test("an upgrade replaces, adds and takes away; the same again changes nothing; older, or changed without a new version, is refused", async () => {
    await using bench = await packageBench();
    const desk = bench.desk();
    const at = (version: string, files: Record<string, string>) => archiveOf({ version, files });
    value(await desk.installArchive(at("1.0.0", { "skills/a.md": "1", "skills/gone/b.md": "1" })));
    const upgrade = at("1.1.0", { "skills/a.md": "2", "skills/new/c.md": "2" });
    expect(value(await desk.installArchive(upgrade)).state).toBe("upgrade");
    expect(Object.keys(treeOf(join(bench.root, "skills")))).toEqual(["a.md", "new/c.md"]);
    expect(value(await desk.installArchive(upgrade)).state).toBe("already");
    expect((await desk.installArchive(at("1.0.0", { "skills/a.md": "1" }))).ok).toBe(false);
    expect((await desk.installArchive(at("1.1.0", { "skills/a.md": "3" }))).ok).toBe(false);
  });

  test("a package whose spec leads to no framework is not let in", async () => {
    await using bench = await packageBench();
    expect(await bench.desk().installArchive(archiveOf({ spec: "SPEC-NOWHERE-001" }))).toMatchObject({
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
    expect((await bench.desk().installArchive(archiveOf())).ok).toBe(false);
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
      await bench.desk().installArchive(archiveOf({ version: "0.9.0", files: { "skills/example/SKILL.md": "old" } })),
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
    const desk = bench.desk({ failpoint: (name) => name === "staged" && writeFileSync(file, "swapped") });
    value(await desk.install(file));
    expect(readFileSync(join(bench.root, "skills/example/SKILL.md"), "utf8")).toBe("# Example\n");
    expect(readFileSync(join(bench.root, "packages/PKG-TEST-001/archive.tar")).equals(archiveOf())).toBe(true);
  });

  async function swapAt(bench: Awaited<ReturnType<typeof packageBench>>, point: string) {
    const staging = join(bench.root, "packages/.staging");
    const desk = bench.desk({
      failpoint: (name) => {
        if (name !== point) return;
        for (const id of readdirSync(staging)) writeFileSync(join(staging, id, "new/0"), "swapped");
      },
    });
    return desk.installArchive(archiveOf());
  }
});

describe("at once", () => {
  test("two installs of packages that want the same file: one wins whole, the other is refused", async () => {
    await using bench = await packageBench();
    const bring = (id: string) =>
      bench.desk().installArchive(archiveOf({ id, files: { "skills/same/SKILL.md": id, [`hooks/${id}.js`]: id } }));
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
        writeFileSync(join(bench.root, `${id}.tar`), archiveOf({ id, files: { [`skills/${id}/SKILL.md`]: id } }));
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
    const { desk } = workspace.runtime.packages;
    let going = true;
    const flows = Array.from({ length: 3 }, async () => {
      const results = [];
      while (going || results.length === 0) results.push(await workspace.order());
      return results;
    });
    for (let version = 1; version <= 6; version += 1) {
      value(await desk.installArchive(mock({ version: `${version}.0.0` })));
      if (version % 3 === 0) value(await desk.remove("PKG-MOCK-001"));
    }
    going = false;
    const results = (await Promise.all(flows)).flat();
    expect(results.filter(({ status }) => status !== "success")).toEqual([]);
  });
});

describe("integrity before and after a flow", () => {
  test("a governed file changed by hand stops the next flow with file, hashes and repair; the repair puts it back", async () => {
    await using workspace = await testWorkspace({ ...trusting });
    value(await workspace.runtime.packages.desk.installArchive(mock()));
    const file = "frameworks/FMWK-900_Mock/manifest.yaml";
    const before = await workspace.read(file);
    expect((await workspace.order()).status).toBe("success");
    await appendFile(join(workspace.root, file), "# by hand\n");
    const stopped = await workspace.order();
    expect(stopped).toMatchObject({ status: "rejected", error_code: "GATE_DENIED", response: null });
    for (const part of [file, /expected [0-9a-f]{64}, found [0-9a-f]{64}/, "writ pkg verify --repair"])
      expect(stopped.error).toMatch(part);
    const repaired = await writJson<{ repaired: string[] }>(["pkg", "verify", "--repair"], { cwd: workspace.root });
    expect(repaired).toMatchObject({ status: 0, json: { ok: true, repaired: [file] } });
    expect(await workspace.read(file)).toBe(before);
    expect((await workspace.order()).status).toBe("success");
  });

  test.each([
    ["G0A", "is gone", (root: string) => rmSync(join(root, "registries/PKG-MOCK-001/specs_registry.csv"))],
    [
      "G0A",
      "became a link",
      (root: string) => {
        const file = join(root, "registries/PKG-MOCK-001/specs_registry.csv");
        writeFileSync(join(root, "elsewhere.csv"), readFileSync(file));
        rmSync(file);
        symlinkSync("../../elsewhere.csv", file);
      },
    ],
    ["G0B", "has no owner", (root: string) => writeFileSync(join(root, "frameworks/stray.yaml"), "x")],
    ["G5", "lost its signature", (root: string) => rmSync(join(root, "packages/PKG-MOCK-001/signature.json"))],
    [
      "G0A",
      "has a receipt that was edited",
      (root: string) => {
        const file = join(root, "packages/PKG-MOCK-001/receipt.json");
        writeFileSync(file, readFileSync(file, "utf8").replace(/"manifest_sha256":"./, '"manifest_sha256":"x'));
      },
    ],
  ])("%s shuts when a governed file %s", async (gate, _, change) => {
    await using workspace = await testWorkspace({ ...trusting });
    value(await workspace.runtime.packages.desk.installArchive(mock()));
    expect((await workspace.order()).status).toBe("success");
    change(workspace.root);
    expect(await workspace.order()).toMatchObject({ status: "rejected", error_code: "GATE_DENIED" });
    const { status, json } = await writJson<{ gates: { gate: string; passed: boolean }[] }>(["gate", "check"], {
      cwd: workspace.root,
    });
    expect(status).toBe(3);
    expect(json.gates.filter(({ passed }) => !passed).map((each) => each.gate)).toContain(gate);
  });

  test("a file changed while the flow runs takes its success away", async () => {
    await using workspace = await testWorkspace({ ...trusting });
    value(await workspace.runtime.packages.desk.installArchive(mock()));
    const result = await workspace.order(
      {},
      {
        onEvent: ({ type }) => {
          if (type === "llm.response") writeFileSync(join(workspace.root, "schemas/planted_v1.json"), "{}");
        },
      },
    );
    expect(result).toMatchObject({ error_code: "GATE_DENIED" });
    expect(result.status).not.toBe("success");
  });

  test("a framework that requires no gate is not stopped by them", async () => {
    await using workspace = await testWorkspace({ ...trusting });
    value(await workspace.runtime.packages.desk.installArchive(mock({ files: mockFramework([]) })));
    await workspace.write("frameworks/stray.yaml", "x");
    expect((await workspace.order({ framework_id: "FMWK-900", spec_id: "SPEC-MOCK-001" })).status).toBe("success");
  });

  test("a key that is trusted no more shuts G5, and its packages grant nothing", async () => {
    await using bench = await packageBench();
    value(await bench.desk().installArchive(archiveOf({ capabilities: { read: ["docs/**"] } })));
    expect(value(bench.desk().capabilitiesOf("PKG-TEST-001"))).toEqual({ read: ["docs/**"] });
    await using workspace = await testWorkspace({ ...trusting });
    value(await workspace.runtime.packages.desk.installArchive(archiveOf({ capabilities: { read: ["docs/**"] } })));
    await workspace.write("writ.yaml", stringify({ version: 1 }));
    await workspace.reopen();
    expect(workspace.runtime.packages.desk.capabilitiesOf("PKG-TEST-001")).toMatchObject({
      error: { code: "GATE_DENIED" },
    });
    expect(await workspace.order()).toMatchObject({ status: "rejected", error: expect.stringContaining("G5") });
  });
});

describe("the command line", () => {
  test("build, install, list, verify and remove; the same folder gives the same bytes twice", async () => {
    await using bench = await packageBench();
    const source = mkdtempSync(join(tmpdir(), "writ-source-"));
    await mkdir(join(source, "skills/a - b"), { recursive: true });
    await writeFile(join(source, "skills/a - b/SKILL.md"), "# A\n");
    await writeFile(
      join(source, "manifest.yaml"),
      stringify({
        package_id: "PKG-CLI-001",
        version: "1.0.0",
        layer: 4,
        plane_id: "ho1",
        spec_id: "SPEC-WORKSPACE-001",
      }),
    );
    const build = (out: string) =>
      writJson<{ archive_sha256: string }>(["pkg", "build", source, "--out", out], { cwd: bench.root });
    const [one, two] = [await build("one.tar"), await build("two.tar")];
    expect(one.status).toBe(0);
    expect(two.json.archive_sha256).toBe(one.json.archive_sha256);
    expect((await writ(["pkg", "install", "one.tar"], { cwd: bench.root })).stdout).toMatch(
      /PKG-CLI-001 1\.0\.0 is installed: 1 file/,
    );
    expect((await writ(["pkg", "verify"], { cwd: bench.root })).status).toBe(0);
    await writeFile(join(bench.root, "skills/a - b/SKILL.md"), "changed");
    expect((await writ(["pkg", "verify"], { cwd: bench.root })).status).toBe(1);
    expect((await writ(["pkg", "remove", "PKG-CLI-001"], { cwd: bench.root })).status).toBe(3);
    expect((await writ(["pkg", "verify", "--repair"], { cwd: bench.root })).status).toBe(0);
    expect((await writ(["pkg", "remove", "PKG-CLI-001"], { cwd: bench.root })).status).toBe(0);
    expect((await writ(["pkg", "remove", "PKG-CLI-001"], { cwd: bench.root })).status).toBe(2);
    expect((await writ(["pkg", "install", "none.tar"], { cwd: bench.root })).status).toBe(2);
    rmSync(source, { recursive: true });
  }, 60_000);

  test("a package of a stranger exits 3 and says how to trust its key", async () => {
    await using bench = await packageBench();
    const stranger = generateKeyPairSync("ed25519").privateKey;
    await writeFile(join(bench.root, "x.tar"), archiveOf({ key: stranger }));
    const { status, stderr } = await writ(["pkg", "install", "x.tar"], { cwd: bench.root });
    expect(status).toBe(3);
    expect(stderr).toContain(keyHash(stranger));
    expect(stderr).toContain("packages.trust_roots");
  });

  test("what people wrote by hand is adopted with one command, and again after a change", async () => {
    await using workspace = await testWorkspace({
      files: { "schemas/mine_v1.json": JSON.stringify({ $id: "mine_v1", type: "object" }) },
    });
    expect(await workspace.order()).toMatchObject({
      status: "rejected",
      error: expect.stringContaining("writ pkg adopt"),
    });
    expect((await writ(["pkg", "adopt"], { cwd: workspace.root })).status).toBe(0);
    expect((await workspace.order()).status).toBe("success");
    await workspace.write("schemas/mine_v1.json", JSON.stringify({ $id: "mine_v1", type: "array" }));
    expect((await workspace.order()).status).toBe("rejected");
    expect((await writ(["pkg", "adopt"], { cwd: workspace.root })).stdout).toMatch(/1\.0\.1/);
    expect((await workspace.order()).status).toBe("success");
  });

  test("a fresh workspace passes every gate, and the report is a gate_report_v1", async () => {
    await using bench = await packageBench();
    const { status, json } = await writJson<{ ok: boolean; gates: { gate: string }[] }>(["gate", "check", "--all"], {
      cwd: bench.root,
    });
    expect(status).toBe(0);
    expect(shippedRegistry().validate("gate_report_v1", json).ok).toBe(true);
    expect(json.gates.map(({ gate }) => gate)).toEqual(gateIds);
    expect((await writ(["gate", "check", "G7"], { cwd: bench.root })).status).toBe(2);
    expect((await writJson<{ gates: object[] }>(["gate", "check"], { cwd: bench.root })).json.gates).toHaveLength(
      fileGates.length,
    );
  });
});

test("a folder with a link is not made into a package", async () => {
  const source = mkdtempSync(join(tmpdir(), "writ-source-"));
  writeFileSync(join(source, "manifest.json"), "{}");
  symlinkSync("/etc/passwd", join(source, "link"));
  expect(await buildFromFolder(source, undefined)).toMatchObject({ error: { code: "PACKAGE_REFUSED" } });
  rmSync(source, { recursive: true });
});

test("a workspace's packages open without its runtime, so that a broken contract can be repaired", async () => {
  await using workspace = await testWorkspace({ ...trusting });
  const files = { "schemas/own_v1.json": JSON.stringify({ $id: "own_v1", type: "object" }) };
  value(await workspace.runtime.packages.desk.installArchive(archiveOf({ files })));
  await workspace.write("schemas/own_v1.json", "{");
  const packages = value(
    await openPackages({
      root: workspace.root,
      clock: systemClock,
      random: systemRandom,
      config: workspace.runtime.config,
    }),
  );
  expect(value(await packages.verify({ repair: true })).repaired).toEqual(["schemas/own_v1.json"]);
});
