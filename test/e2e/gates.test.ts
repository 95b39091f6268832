// A governed file changed by hand stops the next flow; what people and scripts see of packages and gates.
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { appendFile, mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { shippedRegistry } from "#core/contracts";
import { systemClock, systemRandom } from "#core/values";
import { fileGates, openPackages } from "#governance";
import { gateIds } from "../../src/governance/gates/gate.ts";
import { buildFromFolder } from "../../src/governance/packages/open-packages.ts";
import { keyHash } from "../../src/governance/packages/signature.ts";
import { mock, mockFramework, trusting } from "../support/mock-framework.ts";
import { archiveOf, packageBench, value } from "../support/packages.ts";
import { writ, writJson } from "../support/resident-writ.ts";
import { testWorkspace } from "../support/runtime-workspace.ts";

describe("integrity before and after a flow", () => {
  test("a governed file changed by hand stops the next flow with file, hashes and repair; the repair puts it back", async () => {
    await using workspace = await testWorkspace({ ...trusting });
    value(await workspace.runtime.packages.installer.installArchive(mock()));
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
    value(await workspace.runtime.packages.installer.installArchive(mock()));
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
    value(await workspace.runtime.packages.installer.installArchive(mock()));
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
    value(await workspace.runtime.packages.installer.installArchive(mock({ files: mockFramework([]) })));
    await workspace.write("frameworks/stray.yaml", "x");
    expect((await workspace.order({ framework_id: "FMWK-900", spec_id: "SPEC-MOCK-001" })).status).toBe("success");
  });

  test("a key that is trusted no more shuts G5, and its packages grant nothing", async () => {
    await using bench = await packageBench();
    value(await bench.installer().installArchive(archiveOf({ capabilities: { read: ["docs/**"] } })));
    expect(value(bench.installer().capabilitiesOf("PKG-TEST-001"))).toEqual({ read: ["docs/**"] });
    await using workspace = await testWorkspace({ ...trusting });
    value(
      await workspace.runtime.packages.installer.installArchive(archiveOf({ capabilities: { read: ["docs/**"] } })),
    );
    await workspace.write("writ.yaml", stringify({ version: 1 }));
    await workspace.reopen();
    expect(workspace.runtime.packages.installer.capabilitiesOf("PKG-TEST-001")).toMatchObject({
      error: { code: "GATE_DENIED" },
    });
    expect(await workspace.order()).toMatchObject({ status: "rejected", error: expect.stringContaining("G5") });
  });
});

describe("the command line", () => {
  test("build, install, list, verify and remove; the same folder gives the same bytes twice", async () => {
    await using bench = await packageBench();
    const source = mkdtempSync(join(tmpdir(), "writ-source-"));
    await mkdir(join(source, "hooks/a - b"), { recursive: true });
    await writeFile(join(source, "hooks/a - b/hook.js"), "// A\n");
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
    expect((await build("skills")).status).toBe(2); // a folder is in the way, and nothing is left beside it
    expect(readdirSync(bench.root).filter((name) => name.endsWith(".new"))).toEqual([]);
    expect((await writ(["pkg", "install", "one.tar"], { cwd: bench.root })).stdout).toMatch(
      /PKG-CLI-001 1\.0\.0 is installed: 1 file/,
    );
    expect((await writ(["pkg", "verify"], { cwd: bench.root })).status).toBe(0);
    await writeFile(join(bench.root, "hooks/a - b/hook.js"), "changed");
    expect((await writ(["pkg", "verify"], { cwd: bench.root })).status).toBe(1);
    expect((await writ(["pkg", "remove", "PKG-CLI-001"], { cwd: bench.root })).status).toBe(3);
    expect((await writ(["pkg", "verify", "--repair"], { cwd: bench.root })).status).toBe(0);
    expect((await writ(["pkg", "remove", "PKG-CLI-001"], { cwd: bench.root })).status).toBe(0);
    expect((await writ(["pkg", "remove", "PKG-CLI-001"], { cwd: bench.root })).status).toBe(2);
    expect((await writ(["pkg", "install", "none.tar"], { cwd: bench.root })).status).toBe(2);
    rmSync(source, { recursive: true });
  });

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
  value(await workspace.runtime.packages.installer.installArchive(archiveOf({ files })));
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

test("the recorded past is judged once: a second look reads no closed session again, unless a byte of it changed", async () => {
  await using workspace = await testWorkspace();
  const { runtime } = workspace;
  const ran = [await workspace.order(), await workspace.order()];
  expect(ran.map(({ status }) => status)).toEqual(["success", "success"]);
  const reads: string[] = [];
  const counted = new Proxy(runtime.log, {
    get(log, name) {
      const found: unknown = Reflect.get(log, name, log);
      if (typeof found !== "function") return found;
      if (!["list", "ids", "locate"].includes(String(name))) reads.push(String(name));
      return found.bind(log);
    },
  });
  const gates = runtime.packages.gates(counted);
  await new Promise((resolve) => setTimeout(resolve, 150)); // until a change could not go unseen any more
  const past = ["G2", "G3", "G4", "G6"] as const;
  const first = await gates.check(past);
  expect(first).toMatchObject({ ok: true });
  expect(reads.length).toBeGreaterThan(ran.length);
  reads.length = 0;
  expect(await gates.check(past)).toEqual(first);
  expect(reads).toEqual([]);

  const file = join(workspace.root, "planes/ho1/sessions", ran[0]?.session_id ?? "", ".events.jsonl");
  const bytes = readFileSync(file);
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
  writeFileSync(file, bytes);
  // What the journal still holds rules over the file, so the verdict may stand; but it was looked for.
  await gates.check(past);
  expect(reads).toEqual(expect.arrayContaining(["read", "readLines"]));
});
