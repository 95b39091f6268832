import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { closureOf } from "./program-closure.ts";
import type { ProgramRights } from "./programs.ts";

let folder: string;
let root: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "writ-closure-")));
  root = join(folder, "workspace");
  for (const [path, text] of Object.entries({
    "hooks/check.sh": "#!/bin/sh\ntools/lint.sh\n",
    "hooks/beside.sh": "echo beside\n",
    "tools/lint.sh": "echo lint\n",
    "tools/other/deep.txt": "deep\n",
    "server/index.mjs": 'import "./lib.mjs";\n',
    "server/lib.mjs": "export {};\n",
    "data/rows.csv": "1,2\n",
    "data/more.csv": "3,4\n",
    "package.json": "{}\n",
    Makefile: "check:\n\ttrue\n",
  })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  chmodSync(join(root, "hooks/check.sh"), 0o755);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function closure(words: readonly string[], rights: ProgramRights = {}) {
  const found = closureOf({ root, where: "hooks.Stop", words, rights });
  if (!found.ok) throw new Error(found.error.message);
  return found.value;
}
const paths = (words: readonly string[], rights?: ProgramRights) =>
  closure(words, rights).files.map(({ path }) => path);

describe("the closure of a program", () => {
  test("is the files that its command line names and what lies beside those that are code", () => {
    expect(paths(["hooks/check.sh"])).toEqual(["hooks/beside.sh", "hooks/check.sh", "package.json", "tools/lint.sh"]);
    expect(paths(["node", "server/index.mjs", "data/rows.csv"])).toEqual([
      "data/rows.csv",
      "package.json",
      "server/index.mjs",
      "server/lib.mjs",
    ]);
    expect(paths(["make", "-s", "check"])).toEqual(["Makefile"]);
    expect(paths(['"$CLAUDE_PROJECT_DIR"/hooks/check.sh'.replaceAll('"', "")])).toContain("hooks/check.sh");
  });

  test("holds what `code` lists: files, folders and patterns", () => {
    expect(paths(["make"], { code: ["Makefile", "tools/"] })).toEqual([
      "Makefile",
      "tools/lint.sh",
      "tools/other/deep.txt",
    ]);
    expect(paths(["x"], { code: ["tools/**/*.sh"] })).toEqual(["tools/lint.sh"]);
    const absent = closureOf({ root, where: "hooks.Stop", words: [], rights: { code: ["nowhere"] } });
    expect(absent).toMatchObject({ ok: false, error: { code: "CONFIG_INVALID" } });
  });

  test.each<[string, readonly string[], Record<string, string>, readonly string[]]>([
    [
      "make and what its recipes start",
      ["make", "-s", "check"],
      {
        Makefile: "include mk/rules.mk\ncheck:\n\t@sh tools/lint.sh && ./bin/run src/main.ts\n",
        "mk/rules.mk": "all: ; node scripts/all.mjs\n",
        "scripts/all.mjs": "import '../lib/deep.mjs';\n",
        "lib/deep.mjs": "",
        "bin/run": "#!/bin/sh\n",
        "src/main.ts": "",
      },
      ["Makefile", "bin/run", "lib/deep.mjs", "mk/rules.mk", "package.json", "scripts/all.mjs", "tools/lint.sh"],
    ],
    [
      "a script in each of the ways that shells have",
      ["sh", "hooks/all.sh"],
      {
        "hooks/all.sh": [
          '. "$(dirname "$0")/../lib/a"',
          "source ${0%/*}/../lib/b.sh",
          'cd "$(cd "$(dirname "$0")/.." && pwd)"',
          'if true; then "$CLAUDE_PROJECT_DIR"/lib/c.sh; fi',
          "bash -eu lib/d.sh || exec lib/e",
          "FOO=1 python3 lib/f.py",
          "cat data/rows.csv lib/data.sh",
          "grep -r x src/main.ts",
          ". ./lib/secrets",
          "sh ../outside.sh",
          "sh /etc/profile",
        ].join("\n"),
        "lib/a": "x=1\n",
        "lib/b.sh": "",
        "lib/c.sh": "",
        "lib/d.sh": "",
        "lib/e": "#!/bin/sh\n",
        "lib/f.py": "import g\nfrom pkg import h\n",
        "lib/g.py": "",
        "lib/pkg/h.py": "",
        "lib/data.sh": "",
        "lib/secrets": "TOKEN=1\n",
        "src/main.ts": "",
      },
      [
        "hooks/all.sh",
        "hooks/beside.sh",
        "hooks/check.sh",
        "lib/a",
        "lib/b.sh",
        "lib/c.sh",
        "lib/d.sh",
        "lib/e",
        "lib/f.py",
        "lib/g.py",
        "lib/pkg/h.py",
        "package.json",
        "tools/lint.sh",
      ],
    ],
    [
      "a server and its imports",
      ["node", "server/index.mjs"],
      {
        "server/index.mjs":
          "import x from '../shared/x.js'; const y = require('../shared/y'); await import('../shared/z.mjs');",
        "shared/x.ts": "",
        "shared/y.cjs": "",
        "shared/z.mjs": "import './x.js'",
        "shared/unused.mjs": "",
      },
      ["package.json", "server/index.mjs", "server/lib.mjs", "shared/x.ts", "shared/y.cjs", "shared/z.mjs"],
    ],
    [
      "npm and the files of its scripts",
      ["npm", "test"],
      {
        "package.json": JSON.stringify({
          scripts: { test: "node scripts/t.mjs && ./x.sh", other: 'sh -c "sh tools/lint.sh"' },
        }),
        "scripts/t.mjs": "",
        "x.sh": "#!/bin/sh\n",
      },
      ["package.json", "scripts/t.mjs", "tools/lint.sh", "x.sh"],
    ],
  ])("holds what its code names as code, and no data: %s", (_, words, files, expected) => {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    expect(paths(words)).toEqual(expected);
  });

  test("follows no reference behind a link that leads out of the workspace", () => {
    mkdirSync(join(folder, "beside"));
    writeFileSync(join(folder, "beside/own.sh"), "echo mine\n");
    symlinkSync(join(folder, "beside"), join(root, "linked"));
    writeFileSync(join(root, "hooks/check.sh"), "sh linked/own.sh\n");
    expect(paths(["hooks/check.sh"])).toEqual(["hooks/beside.sh", "hooks/check.sh", "package.json"]);
  });

  test("has another digest when a byte, a mode or a name of it changes, and no other when something else does", () => {
    const before = closure(["hooks/check.sh"]).digest;
    writeFileSync(join(root, "tools/other/deep.txt"), "changed\n");
    expect(closure(["hooks/check.sh"]).digest).toBe(before);
    writeFileSync(join(root, "hooks/beside.sh"), "changed\n");
    const after = closure(["hooks/check.sh"]).digest;
    expect(after).not.toBe(before);
    chmodSync(join(root, "hooks/beside.sh"), 0o755);
    expect(closure(["hooks/check.sh"]).digest).not.toBe(after);
  });

  test("takes ledgers, keys and the repository from nobody, and follows no circle of links", () => {
    mkdirSync(join(root, "planes/hot"), { recursive: true });
    writeFileSync(join(root, "planes/hot/secret"), "ledger");
    symlinkSync("..", join(root, "hooks/up"));
    const found = paths(["hooks/check.sh"]);
    expect(found).not.toContain("planes/hot/secret");
    expect(paths(["x"], { code: ["planes/"] })).toEqual([]);
  });

  test("names what lies elsewhere on the machine by its package, and links there as links", () => {
    const module = join(folder, "lib/node_modules/server/dist/index.js");
    mkdirSync(dirname(module), { recursive: true });
    writeFileSync(module, "");
    expect(closure(["node", module]).elsewhere).toEqual([join(folder, "lib/node_modules")]);
    symlinkSync(join(folder, "lib/node_modules/server"), join(root, "server/linked"));
    expect(closure(["server/index.mjs"])).toMatchObject({
      links: [{ path: "server/linked", target: join(folder, "lib/node_modules/server") }],
      elsewhere: [join(folder, "lib/node_modules")],
    });
    expect(closure(["ls", "/usr/bin/env", "/nowhere", folder]).elsewhere).toEqual([]);
  });
});

describe("what code names as code belongs to the closure, however it is named", () => {
  const script = "#!/bin/sh\necho lint\n";
  const bash = (text: string) => ({ "hooks/check.sh": `#!/bin/bash\n${text}\n` });
  const node = (text: string) => ({ "hooks/check.mjs": `${text}\n` });
  const python = (text: string) => ({ "hooks/check.py": `${text}\n` });
  const [inBash, inNode, inPython] = [["hooks/check.sh"], ["node", "hooks/check.mjs"], ["python3", "hooks/check.py"]];
  const npm = '{"scripts":{"lint":"node tools/run.js"}}';

  test.each<[string, readonly string[], Readonly<Record<string, string>>, string]>([
    ["from the script's own folder", inBash, bash('. "$(dirname "$0")/../tools/lint.sh"'), "tools/lint.sh"],
    [
      "from a variable that holds it",
      inBash,
      bash('HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)\nsource "$HERE/../tools/lint.sh"'),
      "tools/lint.sh",
    ],
    ["in a variable", inBash, bash('LINT=tools/lint.sh\nsh "$LINT"'), "tools/lint.sh"],
    ["after cd", inBash, bash("cd tools && ./lint.sh"), "tools/lint.sh"],
    ["after cd, by an interpreter", inBash, bash('cd "$CLAUDE_PROJECT_DIR/tools"\nsh lint.sh'), "tools/lint.sh"],
    ["after cd, on the command line", ["cd", "tools", "&&", "./lint.sh"], {}, "tools/lint.sh"],
    ["after cd, as a text for a shell", ["sh", "-c", "cd tools && ./lint.sh"], {}, "tools/lint.sh"],
    ["in a loop", inBash, bash('for each in tools/*.sh; do . "./$each"; done'), "tools/lint.sh"],
    ["by its folder", inBash, bash("run-parts tools"), "tools/lint.sh"],
    ["evaluated", inBash, bash('eval "$(cat tools/lint.sh)"'), "tools/lint.sh"],
    ["piped into a shell", inBash, bash("cat tools/lint.sh | sh"), "tools/lint.sh"],
    ["as the input of a shell", inBash, bash("sh < tools/lint.sh"), "tools/lint.sh"],
    ["in another language", inBash, { ...bash("jq -f tools/rules.jq"), "tools/rules.jq": "." }, "tools/rules.jq"],
    ["by make in a script", inBash, bash("make -s check"), "Makefile"],
    ["by make in a folder", ["make", "-C", "sub"], { "sub/Makefile": "x:\n" }, "sub/Makefile"],
    ["by make below make", ["make"], { Makefile: "x:\n\t$(MAKE) -C sub x\n", "sub/Makefile": "x:\n" }, "sub/Makefile"],
    ["included by a pattern", ["make"], { Makefile: "include $(wildcard mk/*.mk)\n", "mk/a.mk": "" }, "mk/a.mk"],
    [
      "by npm in a script",
      inBash,
      { ...bash("npm run -s lint"), "package.json": npm, "tools/run.js": "" },
      "tools/run.js",
    ],
    [
      "as an argument",
      inNode,
      node('import { spawnSync } from "node:child_process";\nspawnSync("sh", ["tools/lint.sh"]);'),
      "tools/lint.sh",
    ],
    [
      "in a command",
      inNode,
      node('import { execSync } from "node:child_process";\nexecSync("sh tools/lint.sh");'),
      "tools/lint.sh",
    ],
    [
      "by npm in a command",
      inNode,
      { ...node('require("child_process").execSync("npm run lint");'), "package.json": npm, "tools/run.js": "" },
      "tools/run.js",
    ],
    [
      "joined",
      inNode,
      { ...node('await import(join(process.cwd(), "tools", "l.mjs"));'), "tools/l.mjs": "" },
      "tools/l.mjs",
    ],
    [
      "as an address",
      inNode,
      { ...node('await import(new URL("../tools/l.mjs", import.meta.url));'), "tools/l.mjs": "" },
      "tools/l.mjs",
    ],
    ["as a template", inNode, { ...node("await import(`../tools/l.mjs`);"), "tools/l.mjs": "" }, "tools/l.mjs"],
    [
      "required before it",
      ["node", "-r", "./tools/reg", "hooks/check.mjs"],
      { ...node(""), "tools/reg.js": "" },
      "tools/reg.js",
    ],
    [
      "by its folder's name",
      ["node", "tools"],
      { "tools/index.js": 'require("../lib/x");', "lib/x.js": "" },
      "lib/x.js",
    ],
    ["without its ending", ["node", "tools/server"], { "tools/server.js": "" }, "tools/server.js"],
    [
      "from another folder",
      inPython,
      { ...python('import sys\nsys.path.insert(0, "tools")\nimport lint'), "tools/lint.py": "" },
      "tools/lint.py",
    ],
    ["by subprocess", inPython, python('import subprocess\nsubprocess.run(["sh", "tools/lint.sh"])'), "tools/lint.sh"],
    ["by perl", ["perl", "hooks/c.pl"], { "hooks/c.pl": 'require "./tools/l.pl";', "tools/l.pl": "" }, "tools/l.pl"],
    [
      "by a name of package.json",
      inNode,
      {
        ...node('import "#a"; import "#b/x"; import "me/c"; import "me"; import `#d/${name}.mjs`;'),
        "package.json":
          '{"name":"me","main":"tools/main.js","imports":{"#a":{"node":["./tools/a.mjs"]},"#b/*":"./tools/*.mjs","#d/*":"./d/*"},"exports":{"./*":"./tools/*.js"}}',
        "tools/a.mjs": "",
      },
      "tools/a.mjs",
    ],
    ...["tools/x.mjs", "tools/c.js", "tools/main.js", "d/l.mjs"].map(
      (wanted): [string, readonly string[], Readonly<Record<string, string>>, string] => [
        `by a name of package.json: ${wanted}`,
        inNode,
        {
          ...node('import "#b/x"; import "me/c"; import "me"; await import(`#d/${name}.mjs`);'),
          "package.json":
            '{"name":"me","main":"tools/main.js","imports":{"#b/*":"./tools/*.mjs","#d/*":"./d/*"},"exports":{".":"./tools/main.js","./*":"./tools/*.js"}}',
          [wanted]: "",
        },
        wanted,
      ],
    ),
    ...["tools/lint.ts", "lib/deep/x.ts", "lib/base.ts"].map(
      (wanted): [string, readonly string[], Readonly<Record<string, string>>, string] => [
        `by a name of tsconfig.json: ${wanted}`,
        ["tsx", "hooks/check.ts"],
        {
          "hooks/check.ts": 'import "@lint"; import "@lib/deep/x"; import "base";',
          "tsconfig.json": '{ // the names\n"extends": ["./names.json"], "compilerOptions": {"baseUrl": "lib",},}',
          "names.json": '{"compilerOptions":{"paths":{"@lint":["./tools/lint"],"@lib/*":["./lib/*"]}}}',
          [wanted]: "",
        },
        wanted,
      ],
    ),
    [
      "by an import map",
      inNode,
      { ...node('import "lib/x.ts"'), "deno.json": '{"imports":{"lib/":"./tools/"}}', "tools/x.ts": "" },
      "tools/x.ts",
    ],
    ["in a part of a name", inBash, bash('for n in lint; do sh tools/"$n".sh; done'), "tools/lint.sh"],
    ["in a part of a command", inBash, bash('n=lint\n"tools/$n.sh"'), "tools/lint.sh"],
    ["in a folder of a name", inBash, { ...bash("sh pkgs/${p}/run.sh"), "pkgs/a/run.sh": "" }, "pkgs/a/run.sh"],
    [
      "in a path of Python's",
      inBash,
      { ...bash("PYTHONPATH=tools python3 -m lint"), "tools/lint.py": "" },
      "tools/lint.py",
    ],
    [
      "by a name that Python puts together",
      inPython,
      { ...python('import importlib\nimportlib.import_module(f"plugins.{name}")'), "plugins/a.py": "" },
      "plugins/a.py",
    ],
    [
      "by a name that a module puts together",
      inNode,
      { ...node('import { spawn } from "node:child_process";\nspawn("sh", ["tools/" + name + ".sh"]);') },
      "tools/lint.sh",
    ],
    [
      "by a folder whose modules are loaded",
      inNode,
      {
        ...node('for (const f of readdirSync("plugins")) await import(join(root, "plugins", f));'),
        "plugins/a.mjs": "",
      },
      "plugins/a.mjs",
    ],
    [
      "by ruby",
      ["ruby", "hooks/c.rb"],
      { "hooks/c.rb": 'require_relative "../tools/l"', "tools/l.rb": "" },
      "tools/l.rb",
    ],
  ])("%s", (_, words, files, wanted) => {
    for (const [path, text] of Object.entries({ "tools/lint.sh": script, ...files })) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
      if (text.startsWith("#!")) chmodSync(join(root, path), 0o755);
    }
    expect(paths(words)).toContain(wanted);
  });

  test("what is only read stays as it is at the moment", () => {
    const reads =
      'import { execSync } from "node:child_process";\nreadFileSync("src/main.ts"); readFileSync(`src/${name}.ts`); glob("src/**/*.ts"); execSync("true");';
    for (const [path, text] of Object.entries({
      ...node(reads),
      ...bash(
        'grep -q TODO src/main.ts && exit 2; [ -f src/main.ts ] || exit 0; eslint src; tsc src/$f.ts; grep x "$ROOT/src/$f" "src/**/*.ts"',
      ),
      "src/main.ts": "",
    })) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    for (const words of [inNode, inBash]) expect(paths(words)).not.toContain("src/main.ts");
  });
});
