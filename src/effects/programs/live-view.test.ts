// A program that is shown whatever agents write runs none of it where its own text, or a tool's habit, would find it as code.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { forgetAgentWrites, noteAgentWrites, type ProgramRights, type Programs } from "#core/machine";
import { DisposalStack, systemClock, systemRandom } from "#core/values";
import { configDefaults } from "../../workspace/config/defaults.ts";
import { openPrograms } from "./open-programs.ts";

let folder: string;
let root: string;
let stack: DisposalStack;
let notices: string[];
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "writ-live-")));
  root = join(folder, "workspace");
  mkdirSync(root);
  stack = new DisposalStack();
  notices = [];
});
afterEach(async () => {
  await stack.disposeAsync();
  rmSync(folder, { recursive: true, force: true });
});

const put = (path: string, text: string) => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
  if (text.startsWith("#!")) chmodSync(join(root, path), 0o755);
};
const agentWrites = (path: string, text: string) => {
  noteAgentWrites(root, [path]);
  put(path, text);
};
const open = (): Programs =>
  openPrograms(
    {
      root,
      config: configDefaults,
      clock: systemClock,
      random: systemRandom,
      env: { PATH: process.env["PATH"] ?? "" },
      onNotice: (line) => notices.push(line),
    },
    stack,
  ).programs;
async function said(programs: Programs, words: readonly string[], rights: ProgramRights): Promise<string> {
  const admitted = await programs.admit({ where: "hooks.Stop", words, rights });
  if (!admitted.ok) throw new Error(admitted.error.message);
  const ran = await admitted.value.run({
    command: words as [string, ...string[]],
    env: {},
    timeoutMs: 30_000,
    maxOutputBytes: 10_000,
  });
  if (!ran.ok) throw new Error(ran.error.message);
  return ran.value.stdout + ran.value.stderr;
}

const js = 'console.log("owned");\n';
const sh = "echo owned\n";

/** What the program is, what a person has written, and what an agent writes then. */
type Case = readonly [
  name: string,
  words: readonly string[],
  files: Readonly<Record<string, string>>,
  agent: Readonly<Record<string, string>>,
];

describe("nothing runs of what an agent writes into what a program reads", () => {
  test.each<Case>([
    [
      "a script that is sourced if it is there",
      ["sh", "hooks/check.sh"],
      { "hooks/check.sh": "[ -f tools/local.sh ] && . ./tools/local.sh\necho agreed\n" },
      { "tools/local.sh": sh },
    ],
    [
      "a script behind a link, if it is there",
      ["sh", "hooks/check.sh"],
      { "hooks/check.sh": "[ -f lib/local.sh ] && . ./lib/local.sh\necho agreed\n", "src/lib/x.txt": "" },
      { "src/lib/local.sh": sh },
    ],
    [
      "a Makefile that make prefers",
      ["make", "-s"],
      { Makefile: "all:\n\t@echo agreed\n" },
      { GNUmakefile: "all:\n\t@echo owned\n" },
    ],
    [
      "a part of a Makefile that is included if it is there",
      ["make", "-s"],
      { Makefile: "all:\n\t@echo agreed\n-include local.mk\n" },
      { "local.mk": "all:\n\t@echo owned\n" },
    ],
    [
      "a module that another would be taken for",
      ["node", "hooks/check.cjs"],
      { "hooks/check.cjs": 'require("../lib/x"); console.log("agreed")', "lib/x.json": "{}" },
      { "lib/x.js": js },
    ],
    [
      "a module in a folder whose modules are all loaded",
      ["node", "plugins/all.mjs"],
      {
        "plugins/all.mjs":
          'import { readdirSync } from "node:fs";\nfor (const each of readdirSync(import.meta.dirname)) if (each !== "all.mjs") await import(`./${each}`);\nconsole.log("agreed")',
      },
      { "plugins/new.mjs": js },
    ],
    [
      "a module that Python prefers to its own",
      ["python3", "tools/check.py"],
      { "tools/check.py": 'import json\nprint("agreed")\n' },
      { "tools/json.py": 'print("owned")\n' },
    ],
    [
      "a package beside a module",
      ["node", "tools/check.mjs"],
      {
        "tools/check.mjs": 'import "dep"; console.log("agreed")',
        "node_modules/dep/index.js": "",
        "node_modules/dep/package.json": "{}",
      },
      { "tools/node_modules/dep/index.js": js, "tools/node_modules/dep/package.json": "{}" },
    ],
    [
      "a package that an order may write",
      ["node", "tools/check.mjs"],
      {
        "tools/check.mjs": 'try { await import("dep") } catch {}\nconsole.log("agreed")',
        "node_modules/other/index.js": "",
      },
      { "node_modules/dep/index.js": js, "node_modules/dep/package.json": "{}" },
    ],
    [
      "a package of the workspace itself",
      ["node", "tools/check.mjs"],
      {
        "tools/check.mjs": 'import "@me/dep"; console.log("agreed")',
        "packages/dep/index.js": "",
        "packages/dep/package.json": '{"name":"@me/dep"}',
      },
      { "packages/dep/index.js": js },
    ],
    [
      "a name of package.json's imports",
      ["node", "hooks/check.mjs"],
      {
        "hooks/check.mjs": 'import "#lint"; import "#lib/x.mjs"; console.log("agreed")',
        "package.json": '{"imports":{"#lint":{"node":"./tools/lint.mjs"},"#lib/*":"./lib/*"}}',
        "tools/lint.mjs": "",
        "lib/x.mjs": "",
      },
      { "tools/lint.mjs": js, "lib/x.mjs": js },
    ],
    [
      "its own package's name",
      ["node", "hooks/check.mjs"],
      {
        "hooks/check.mjs": 'import "me/lint"; console.log("agreed")',
        "package.json": '{"name":"me","exports":{"./lint":"./tools/lint.mjs"}}',
        "tools/lint.mjs": "",
      },
      { "tools/lint.mjs": js },
    ],
    [
      "a name that is put together in part",
      ["sh", "hooks/check.sh"],
      { "hooks/check.sh": 'for n in lint; do sh "tools/$n.sh"; done', "tools/lint.sh": "echo agreed\n" },
      { "tools/lint.sh": sh },
    ],
    [
      "a module whose name is put together in part",
      ["node", "hooks/check.mjs"],
      {
        "hooks/check.mjs":
          'const n = "lint"; await import(`../tools/${n}.mjs`); await import("../lib/" + n + ".mjs"); console.log("agreed")',
        "tools/lint.mjs": "",
        "lib/lint.mjs": "",
      },
      { "tools/lint.mjs": js, "lib/lint.mjs": js },
    ],
    [
      "settings that a tool loads by itself",
      ["node", "tools/check.cjs"],
      {
        "tools/check.cjs":
          'const { existsSync } = require("node:fs");\nconst name = `${process.cwd()}/${["lint", "config", "js"].join(".")}`;\nif (existsSync(name)) require(name);\nconsole.log("agreed")',
      },
      { "lint.config.js": js },
    ],
  ])("%s", async (_, words, files, agent) => {
    for (const [path, text] of Object.entries(files)) put(path, text);
    if (files["packages/dep/index.js"] !== undefined) {
      mkdirSync(join(root, "node_modules/@me"), { recursive: true });
      symlinkSync("../../packages/dep", join(root, "node_modules/@me/dep"));
    }
    if (files["src/lib/x.txt"] !== undefined) symlinkSync("src/lib", join(root, "lib"));
    const programs = open();
    const wide = { live: ["**"] };
    expect(await said(programs, words, wide)).toBe("agreed\n");
    for (const [path, text] of Object.entries(agent)) agentWrites(path, text);
    expect(await said(programs, words, wide)).toBe("agreed\n");
    // A process that starts later, and so looks at the files anew.
    expect(await said(open(), words, wide)).toBe("agreed\n");
  });
});

describe("what a program reads stays as it is at the moment", () => {
  const lint = ["sh", "hooks/lint.sh"];
  beforeEach(() => {
    put("hooks/lint.sh", "cat src/*.ts; cat package.json 2>/dev/null; cat hooks/*.txt 2>/dev/null; true\n");
    put("src/main.ts", "before\n");
  });

  test("with what an agent wrote where `live` says so; by `read` alone it is not shown, and a notice names the line", async () => {
    const programs = open();
    const live = { read: ["**"], live: ["src/**"] };
    for (const rights of [{ read: ["**"] }, live]) expect(await said(programs, lint, rights)).toBe("before\n");
    put("src/main.ts", "by a person\n");
    expect(await said(programs, lint, { read: ["**"] })).toBe("by a person\n");
    agentWrites("src/main.ts", "after\n");
    agentWrites("src/new.ts", "new\n");
    expect(await said(programs, lint, live)).toBe("after\nnew\n");
    expect(notices).toEqual([]);
    expect(await said(programs, lint, { read: ["**"] })).toContain("No such file");
    expect(await said(programs, lint, { read: ["**"] })).toContain("No such file");
    expect(notices).toEqual([
      'hooks.Stop does not see src/main.ts, src/new.ts, which an agent wrote: what a program finds it may run. If that is data to it, `live: ["src/**"]` under hooks.Stop.rights in writ.yaml shows it',
    ]);
  });

  test("what a wide `live` does not show either is named with the line that shows it; a pattern of its own shows it", async () => {
    const programs = open();
    const wide = { live: ["**"] };
    const named = { live: ["**", "package.json", "hooks/*.txt"] };
    for (const rights of [wide, named]) expect(await said(programs, lint, rights)).toBe("before\n");
    agentWrites("package.json", "{}\n");
    agentWrites("hooks/list.txt", "listed\n");
    expect(await said(programs, lint, wide)).toBe("before\n");
    expect(await said(programs, lint, wide)).toBe("before\n");
    const shown = notices.filter((line) => line.includes("does not see"));
    expect(shown).toEqual([expect.stringContaining('`live: ["**","package.json","hooks/list.txt"]`')]);
    expect(await said(programs, lint, named)).toBe("before\n{}\nlisted\n");
  });

  test("what a program writes itself it sees without a line, unless that is code", async () => {
    const programs = open();
    const show = ["sh", "hooks/show.sh"];
    put("hooks/show.sh", "cat data/*\n");
    put("data/a.txt", "");
    const own = { write: ["data/**"] };
    expect(await said(programs, show, own)).toBe("");
    agentWrites("data/a.txt", "one\n");
    agentWrites("data/b", "#!/bin/sh\n");
    agentWrites("data/c.py", "two\n");
    expect(await said(programs, show, own)).toBe("one\n");
    expect(await said(programs, show, { ...own, live: ["data/**"] })).toBe("one\n#!/bin/sh\ntwo\n");
  });

  // A linter that reads a module and an interpreter that reads it do the same thing, and only the program knows which it is.
  test("so where a person wrote `live`, a name that a program takes from its data leads to what an agent wrote, unless `code` names the folder", async () => {
    put(
      "hooks/check.mjs",
      'import { readFileSync } from "node:fs";\nconst names = readFileSync("list.txt", "utf8").split("\\n").filter(Boolean);\nfor (const name of names) await import(`${process.cwd()}/${name}`);\n',
    );
    put("list.txt", "extra/a.mjs\n");
    put("extra/a.mjs", 'console.log("agreed");\n');
    const words = ["node", "hooks/check.mjs"];
    const programs = open();
    const code = { live: ["**"], code: ["extra/"] };
    expect(await said(programs, words, code)).toBe("agreed\n");
    expect(await said(programs, words, { live: ["**"] })).toBe("agreed\n");
    const tries = `import { writeFileSync } from "node:fs";
      const able = [];
      try { writeFileSync("owned", "x"); able.push("writes"); } catch {}
      try { await fetch("http://127.0.0.1:9"); } catch (thrown) { if (thrown.cause?.code === "ECONNREFUSED") able.push("reaches"); }
      console.log("owned", process.env.SECRET, able.length);`;
    agentWrites("extra/a.mjs", tries);
    agentWrites("extra/b.mjs", tries);
    put("list.txt", "extra/a.mjs\n");
    expect(await said(programs, words, code)).toBe("agreed\n");
    expect(await said(programs, words, { read: ["**"] })).toContain("Cannot find module");
    // It runs, with the rights of its program: what it writes is dropped with the sandbox, and nothing else is in its reach.
    expect(await said(programs, words, { live: ["**"] })).toMatch(/^owned undefined [01]\n$/);
    expect(existsSync(join(root, "owned"))).toBe(false);
    agentWrites("list.txt", "extra/b.mjs\n");
    expect(await said(programs, words, code)).toContain("Cannot find module");
  });
});

describe("a program that goes on running", () => {
  test("is stale once an agent wrote what it would not be shown, also where that was there before and gone", async () => {
    put("run/serve.sh", "cat\n");
    put("src/a.ts", "");
    put("data/a", "");
    agentWrites("gone.txt", "");
    rmSync(join(root, "gone.txt"));
    const programs = open();
    const rights = { read: ["**"], live: ["src/**"] };
    const admitted = await programs.admit({ where: "mcp.servers.one", words: ["sh", "run/serve.sh"], rights });
    if (!admitted.ok) throw new Error(admitted.error.message);
    const begin = async () => {
      const started = await admitted.value.start({ command: ["sh", "run/serve.sh"], env: {} });
      if (!started.ok) throw new Error(started.error.message);
      return started.value;
    };
    const steps: readonly (readonly [() => void, boolean])[] = [
      [() => put("data/b", "by a person"), false],
      [() => agentWrites("src/a.ts", "shown"), false],
      [() => agentWrites("data/a", "not shown"), true],
      [() => put("gone.txt", "noted before"), true],
      [() => forgetAgentWrites(root, (path) => path !== "data/a"), true],
    ];
    for (const [step, isStale] of steps) {
      const running = await begin();
      step();
      expect(running.isStale?.()).toBe(isStale);
      running.kill("SIGKILL");
      await running.ended;
    }
  });
});
