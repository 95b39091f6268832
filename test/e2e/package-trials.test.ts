// An install is tried in a copy; what people wrote is asked about and kept; adopting and packaging the same files go together.
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { systemClock, systemRandom } from "#core/values";
import { runCli } from "#main";
import { checkAssetPath } from "../../src/governance/packages/asset-path.ts";
import { mock, mockFramework, trusting } from "../support/mock-framework.ts";
import { archiveOf, packageBench, type Sketch, treeOf } from "../support/packages.ts";

async function cli(cwd: string, argv: readonly string[], answer?: string) {
  const said = { stdout: "", stderr: "", asked: "" };
  const output = (name: "stdout" | "stderr") => ({
    write: (text: string) => void (said[name] += text),
    isTTY: false,
    columns: 200,
  });
  const ask = async (question: string) => {
    said.asked += question;
    return answer ?? "";
  };
  const status = await runCli(argv, {
    stdout: output("stdout"),
    stderr: output("stderr"),
    env: {},
    cwd,
    clock: systemClock,
    random: systemRandom,
    signal: new AbortController().signal,
    version: "test",
    ...(answer === undefined ? {} : { ask }),
  });
  return { status, ...said };
}

async function workspace() {
  const bench = await packageBench();
  const write = (path: string, text: string | Uint8Array) => {
    mkdirSync(dirname(join(bench.root, path)), { recursive: true });
    writeFileSync(join(bench.root, path), text);
  };
  write("writ.yaml", stringify({ version: 1, ...trusting.config }));
  return {
    root: bench.root,
    write,
    read: (path: string) => readFileSync(join(bench.root, path), "utf8"),
    run: (argv: readonly string[], answer?: string) => cli(bench.root, argv, answer),
    install: (archive: Uint8Array, ...more: readonly string[]) => {
      write("x.tar", archive);
      return cli(bench.root, ["pkg", "install", "x.tar", ...more]);
    },
    gates: async () => (await cli(bench.root, ["gate", "check"])).status,
    [Symbol.asyncDispose]: () => bench[Symbol.asyncDispose](),
  };
}

const skill = (name: string) =>
  `---\nname: ${name}\ndescription: Says hello.\ntriggers: [hello]\nallowed-tools: [echo]\nversion: 1\nschema_version: v1\n---\n\nSay hello.\n`;
const withFramework = (changed: Record<string, string>): Sketch => ({
  id: "PKG-MOCK-001",
  spec: "SPEC-MOCK-001",
  framework: "FMWK-900",
  files: { ...mockFramework(), ...changed },
});
const manifest = (change: (text: string) => string) => ({
  "frameworks/FMWK-900_Mock/manifest.yaml": change(mockFramework()["frameworks/FMWK-900_Mock/manifest.yaml"] as string),
});

describe("an install is tried in a copy first", () => {
  test.each<[string, Sketch, RegExp]>([
    [
      "a schema that is no JSON",
      { files: { "schemas/mine_v1.json": "{" } },
      /schemas: schemas\/mine_v1\.json: not JSON/,
    ],
    [
      "a schema that redefines one of Writ's",
      { files: { "schemas/work_order_v1.json": '{"$id":"work_order_v1","type":"object"}' } },
      /work_order_v1 is a contract of Writ/,
    ],
    [
      "a skill that would be skipped",
      { files: { "skills/bad/SKILL.md": "# No frontmatter\n" } },
      /skills: skills\/bad\/SKILL\.md/,
    ],
    [
      "a framework that names a prompt contract it does not bring",
      withFramework(manifest((text) => text.replace("PRC-ANSWER-001", "PRC-MISSING-001"))),
      /frameworks: .*PRC-MISSING-001\.yaml is missing/,
    ],
    [
      "a framework that names an attention template it does not bring",
      withFramework(manifest((text) => `${text}attention_templates: [ATT-MISSING-001]\n`)),
      /attention templates: .*ATT-MISSING-001\.yaml/,
    ],
    [
      "a framework that expects a spec of no package",
      withFramework(manifest((text) => text.replace("- SPEC-MOCK-001", "- SPEC-MOCK-001\n  - SPEC-MOCK-002"))),
      /G1-COMPLETE: FMWK-900: its spec SPEC-MOCK-002 is in no specs_registry\.csv/,
    ],
    [
      "a registry that cannot be read",
      { files: { "registries/PKG-TEST-001/frameworks_registry.csv": 'framework_id,path\n"FMWK-900\n' } },
      /G1: .*frameworks_registry\.csv/,
    ],
    [
      "a registry row for a framework of Writ that leads nowhere",
      {
        files: {
          "registries/PKG-TEST-001/frameworks_registry.csv": "framework_id,path\nFMWK-005,frameworks/nowhere\n",
        },
      },
      /G1: .*FMWK-005, whose frameworks\/nowhere\/manifest\.yaml is missing/,
    ],
    [
      "a cycle of phases that are not there",
      { files: { "workflows/cycles/lost.md": "---\nname: lost\n---\n" } },
      /workflows: workflows\/cycles\/lost\.md/,
    ],
  ])("%s is refused by name, nothing changes, and the workspace works", async (_, sketch, said) => {
    await using bench = await workspace();
    bench.write("x.tar", archiveOf(sketch));
    const before = treeOf(bench.root);
    const { status, stderr } = await bench.run(["pkg", "install", "x.tar"]);
    expect(stderr).toMatch(/would leave the workspace unusable, so nothing was changed/);
    expect(stderr).toMatch(said);
    expect(status).toBe(3);
    expect(treeOf(bench.root)).toEqual(before);
    expect((await bench.run(["run", "greet Ada"])).status).toBe(0);
  });

  test("an upgrade that breaks what worked is refused, and the older version goes on", async () => {
    await using bench = await workspace();
    expect((await bench.install(mock())).status).toBe(0);
    const broken = withFramework(manifest((text) => text.replace("active", "unheard-of")));
    expect((await bench.install(archiveOf({ ...broken, version: "2.0.0" }))).stderr).toMatch(
      /G1: .*manifest\.yaml is not valid/,
    );
    expect(await bench.gates()).toBe(0);
    expect((await bench.run(["pkg", "list"])).stdout).toMatch(/PKG-MOCK-001 +1\.0\.0/);
  });

  test("a removal that breaks what stays is refused by the name of what breaks", async () => {
    await using bench = await workspace();
    expect((await bench.install(mock())).status).toBe(0);
    const user = { id: "PKG-USER-001", spec: "SPEC-MOCK-001", framework: "FMWK-900" };
    expect((await bench.install(archiveOf({ ...user, files: { "hooks/u.js": "//\n" } }))).status).toBe(0);
    const { status, stderr } = await bench.run(["pkg", "remove", "PKG-MOCK-001"]);
    expect(stderr).toMatch(/removing PKG-MOCK-001 would leave .* G1: PKG-USER-001: its spec SPEC-MOCK-001/);
    expect(status).toBe(3);
    expect(await bench.gates()).toBe(0);
  });

  test("a removal that takes the file of a hook away is refused: nothing could be called any more", async () => {
    await using bench = await workspace();
    expect(
      (
        await bench.install(
          archiveOf({ files: { "hooks/ask.mjs": "export default () => ({ decision: 'allow' });\n" } }),
        )
      ).status,
    ).toBe(0);
    const hooks = { PreToolUse: [{ matcher: "*", hooks: [{ type: "module", module: "hooks/ask.mjs" }] }] };
    bench.write("writ.yaml", stringify({ version: 1, ...trusting.config, hooks }));
    expect((await bench.run(["pkg", "remove", "PKG-TEST-001"])).stderr).toContain(
      "hooks: hooks/ask.mjs, which writ.yaml names",
    );
    expect(existsSync(join(bench.root, "hooks/ask.mjs"))).toBe(true);
  });

  test("packages that pass the gates only together are installed as one", async () => {
    await using bench = await workspace();
    const specs = {
      "registries/PKG-MOCK-001/specs_registry.csv":
        "spec_id,framework_id\nSPEC-MOCK-001,FMWK-900\nSPEC-MOCK-002,FMWK-900\n",
    };
    const two = manifest((text) => text.replace("- SPEC-MOCK-001", "- SPEC-MOCK-001\n  - SPEC-MOCK-002"));
    bench.write("rules.tar", archiveOf(withFramework({ ...two, ...specs })));
    bench.write(
      "tools.tar",
      archiveOf({ id: "PKG-TOOLS-001", spec: "SPEC-MOCK-002", files: { "hooks/t.js": "//\n" }, framework: "FMWK-900" }),
    );
    expect((await bench.run(["pkg", "install", "rules.tar"])).stderr).toContain(
      "no installed package implements SPEC-MOCK-002",
    );
    expect((await bench.run(["pkg", "install", "tools.tar"])).stderr).toContain("SPEC-MOCK-002");
    const both = await bench.run(["pkg", "install", "rules.tar", "tools.tar", "--json"]);
    expect(JSON.parse(both.stdout)).toMatchObject({
      packages: [{ package_id: "PKG-MOCK-001" }, { package_id: "PKG-TOOLS-001" }],
    });
    expect(await bench.gates()).toBe(0);
  });

  test("a fault that was there before is no reason to refuse another package", async () => {
    await using bench = await workspace();
    bench.write("schemas/broken_v1.json", "{");
    expect((await bench.install(archiveOf({ files: { "hooks/x.js": "//\n" } }))).status).toBe(0);
  });
});

describe("removing what people wrote", () => {
  const greeting = () => archiveOf({ files: { "skills/hello/SKILL.md": skill("hello") } });

  test.each<[string, string, string]>([
    ["changed", "skills/hello/SKILL.md", `${skill("hello")}Loudly.\n`],
    ["added beside it", "skills/hello/notes.md", "my notes\n"],
    ["added to its own folder", "packages/PKG-TEST-001/assets/data.csv", "1,2\n"],
  ])(
    "a file that people %s: without a person it is refused, a no keeps it, a yes keeps a copy",
    async (_, path, text) => {
      await using bench = await workspace();
      expect((await bench.install(greeting())).status).toBe(0);
      bench.write(path, text);
      const refused = await bench.run(["pkg", "remove", "PKG-TEST-001"]);
      expect(refused.status).toBe(3);
      expect(refused.stderr).toContain(path);
      expect(refused.stderr).toContain("--yes");
      const no = await bench.run(["pkg", "remove", "PKG-TEST-001"], "n");
      expect(no.asked).toContain("keep a copy");
      expect(no.status).toBe(3);
      expect(bench.read(path)).toBe(text);
      const yes = await bench.run(["pkg", "remove", "PKG-TEST-001"], "y");
      expect(yes.status).toBe(0);
      const kept = /kept in (\S+)\//.exec(yes.stdout)?.[1] ?? "";
      expect(bench.read(`${kept}/${path}`)).toBe(text);
      expect(existsSync(join(bench.root, path))).toBe(false);
      expect(existsSync(join(bench.root, "packages/PKG-TEST-001"))).toBe(false);
      expect(await bench.gates()).toBe(0);
    },
  );

  test("what people keep beside a package's hooks and cycles is theirs, and stays", async () => {
    await using bench = await workspace();
    const files = { "hooks/deep/theirs.js": "//\n", "agents/team/theirs.md": "# Theirs\n" };
    expect((await bench.install(archiveOf({ files }))).stderr).toBe("");
    bench.write("hooks/deep/mine.js", "// mine\n");
    bench.write("agents/team/mine.md", "# Mine\n");
    expect((await bench.run(["pkg", "remove", "PKG-TEST-001"])).stderr).toBe("");
    expect(bench.read("hooks/deep/mine.js")).toBe("// mine\n");
    expect(bench.read("agents/team/mine.md")).toBe("# Mine\n");
    expect(existsSync(join(bench.root, "hooks/deep/theirs.js"))).toBe(false);
  });

  test("what nobody touched goes without a question and leaves no copy", async () => {
    await using bench = await workspace();
    expect((await bench.install(greeting())).status).toBe(0);
    expect((await bench.run(["pkg", "remove", "PKG-TEST-001"])).status).toBe(0);
    expect(readdirSync(join(bench.root, "packages"))).not.toContain(".kept");
  });

  test("the workspace's own package is nothing but what people wrote", async () => {
    await using bench = await workspace();
    const schema = '{"$id":"mine_v1","type":"object"}';
    bench.write("schemas/mine_v1.json", schema);
    expect((await bench.run(["pkg", "adopt"])).status).toBe(0);
    expect((await bench.run(["pkg", "remove", "PKG-WORKSPACE-LOCAL"])).stderr).toContain("schemas/mine_v1.json");
    expect(bench.read("schemas/mine_v1.json")).toBe(schema);
    const done = await bench.run(["pkg", "remove", "PKG-WORKSPACE-LOCAL", "--yes", "--json"]);
    const { kept } = JSON.parse(done.stdout) as { kept: string };
    expect(bench.read(`${kept}/schemas/mine_v1.json`)).toBe(schema);
  });

  test("a repair keeps a copy of what it replaces", async () => {
    await using bench = await workspace();
    expect((await bench.install(greeting())).status).toBe(0);
    bench.write("skills/hello/SKILL.md", "by hand");
    const { stdout } = await bench.run(["pkg", "verify", "--repair", "--json"]);
    const { kept } = JSON.parse(stdout) as { kept: [string] };
    expect(bench.read(`${kept[0]}/skills/hello/SKILL.md`)).toBe("by hand");
    expect(bench.read("skills/hello/SKILL.md")).toBe(skill("hello"));
  });

  test("an install over a file that people wrote asks too, and a link in the way is never followed", async () => {
    await using bench = await workspace();
    bench.write("skills/hello/SKILL.md", "mine");
    expect((await bench.install(greeting())).status).toBe(3);
    expect(bench.read("skills/hello/SKILL.md")).toBe("mine");
    const done = await bench.install(greeting(), "--yes");
    const kept = /kept in (\S+)\//.exec(done.stdout)?.[1] ?? "";
    expect(bench.read(`${kept}/skills/hello/SKILL.md`)).toBe("mine");
    symlinkSync("../../writ.yaml", join(bench.root, "skills/hello/link.md"));
    const refused = await bench.run(["pkg", "remove", "PKG-TEST-001", "--yes"]);
    expect(refused.stderr).toContain("skills/hello/link.md is a link here: move it aside");
    expect(refused.status).toBe(3);
  });
});

describe("adopting, then packaging the same files", () => {
  const registry = {
    "registries/frameworks_registry.csv": mockFramework()["registries/PKG-MOCK-001/frameworks_registry.csv"] as string,
    "registries/specs_registry.csv": mockFramework()["registries/PKG-MOCK-001/specs_registry.csv"] as string,
  };
  const framework = Object.fromEntries(
    Object.entries(mockFramework()).filter(([path]) => path.startsWith("frameworks/")),
  );
  const order = {
    work_order_id: "WO-20261116-001",
    type: "answer",
    plane_id: "ho1",
    spec_id: "SPEC-MOCK-001",
    framework_id: "FMWK-900",
    scope: { allowed_files: [] },
    acceptance: {},
    input: { prompt: "Say hello to Ada" },
  };

  test.each<[string, Record<string, string>]>([
    ["with registries of its own", mockFramework()],
    ["with the workspace's registries", { ...framework, ...registry }],
  ])("a package %s takes them over; the gates stay open and orders run", async (_, files) => {
    await using bench = await workspace();
    for (const [path, text] of Object.entries({ ...framework, ...registry })) bench.write(path, text);
    bench.write("schemas/mine_v1.json", '{"$id":"mine_v1","type":"object"}');
    expect((await bench.run(["pkg", "adopt"])).stdout).toContain("PKG-WORKSPACE-LOCAL 1.0.0 is installed: 5 files");
    const sketch = { id: "PKG-MOCK-001", spec: "SPEC-MOCK-001", framework: "FMWK-900", files };
    const installed = await bench.install(archiveOf(sketch));
    expect(installed.stderr).toBe("");
    expect(await bench.gates()).toBe(0);
    expect((await bench.run(["pkg", "verify"])).status).toBe(0);
    bench.write("order.json", JSON.stringify(order));
    const ran = await bench.run(["flow", "run", "order.json"]);
    expect({ status: ran.status, stderr: ran.stderr }).toEqual({ status: 0, stderr: "" });
    expect((await bench.run(["pkg", "adopt"])).stdout).toContain("nothing to adopt");
    // Written again after a removal, they are adopted again.
    expect((await bench.run(["pkg", "remove", "PKG-MOCK-001"])).stderr).toBe("");
    for (const [path, text] of Object.entries({ ...framework, ...registry })) bench.write(path, text);
    expect((await bench.run(["pkg", "adopt"])).stdout).toContain("5 files");
    expect(await bench.gates()).toBe(0);
  });

  test("everything packaged: nothing is left of the workspace's own package", async () => {
    await using bench = await workspace();
    for (const [path, text] of Object.entries({ ...framework, ...registry })) bench.write(path, text);
    expect((await bench.run(["pkg", "adopt"])).status).toBe(0);
    const sketch = { id: "PKG-MOCK-001", spec: "SPEC-MOCK-001", framework: "FMWK-900" };
    expect((await bench.install(archiveOf({ ...sketch, files: { ...framework, ...registry } }))).stderr).toBe("");
    expect((await bench.run(["pkg", "list"])).stdout).not.toContain("PKG-WORKSPACE-LOCAL");
    expect(await bench.gates()).toBe(0);
  });

  test("a package with another text asks before it replaces what was adopted", async () => {
    await using bench = await workspace();
    for (const [path, text] of Object.entries({ ...framework, ...registry })) bench.write(path, text);
    expect((await bench.run(["pkg", "adopt"])).status).toBe(0);
    const sketch = withFramework(manifest((text) => text.replace("title: Mock", "title: Packaged")));
    expect((await bench.install(archiveOf(sketch))).stderr).toContain("would be replaced");
    expect((await bench.install(archiveOf(sketch), "--yes")).status).toBe(0);
    expect(await bench.gates()).toBe(0);
  });
});

test.each([
  "skills/.git/hooks/post-checkout",
  "skills/x/.git",
  "skills/.GIT/config",
  "skills/.Git/config",
  "hooks/git~1/config",
  "hooks/GIT~2/config",
  "skills/.g\u200cit/config",
  "skills/.ｇｉｔ/config",
  "skills/.git./config",
  "skills/.git /config",
  "skills/.git::$INDEX_ALLOCATION/config",
  "packages/PKG-TEST-001/assets/.git/config",
])("no package places a file at %j", (path) => {
  expect(checkAssetPath(path, "PKG-TEST-001").ok).toBe(false);
});

test("a folder that is kept in git is built without its history", async () => {
  await using bench = await workspace();
  bench.write(
    "source/manifest.yaml",
    stringify({
      package_id: "PKG-GIT-001",
      version: "1.0.0",
      layer: 4,
      plane_id: "ho1",
      spec_id: "SPEC-WORKSPACE-001",
    }),
  );
  bench.write("source/.git/config", "[core]\n");
  bench.write("source/hooks/x.js", "//\n");
  const built = await bench.run(["pkg", "build", "source", "--out", "git.tar", "--json"]);
  expect(JSON.parse(built.stdout)).toMatchObject({ files: 1 });
  bench.write("source/skills/.git/config", "[core]\n");
  expect((await bench.run(["pkg", "build", "source", "--out", "git.tar"])).stderr).toContain(
    "git reads what lies under .git",
  );
});
