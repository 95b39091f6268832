// What a program finds by a name that stands in no text of it: in a list, in settings, on a search path, in a folder. The kernel
// cannot tell an interpreter from a reader, so what agents wrote is shown to a program only where a person wrote `live`.
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { noteAgentWrites, type ProgramRights, type Programs } from "#core/machine";
import { DisposalStack, systemClock, systemRandom } from "#core/values";
import { configDefaults } from "../../workspace/config/defaults.ts";
import { openPrograms } from "./open-programs.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "writ-data-")));
const root = join(folder, "workspace");
const stack = new DisposalStack();
const notices: string[] = [];
afterAll(async () => {
  await stack.disposeAsync();
  rmSync(folder, { recursive: true, force: true });
});

const put = (path: string, text: string) => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
  if (text.startsWith("#!")) chmodSync(join(root, path), 0o755);
};
const agent = (path: string, text: string) => {
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
  const admitted = await programs.admit({ where: "hooks.Stop[0].hooks[0]", words, rights });
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
const py = 'print("owned")\n';
const importing = (names: string) =>
  `import { readFileSync } from "node:fs";\nconsole.log("agreed");\nfor (const name of ${names}) await import(process.cwd() + "/" + name).catch(() => {});\n`;

interface Attack {
  readonly words: readonly string[];
  readonly files: Readonly<Record<string, string>>;
  readonly agent: Readonly<Record<string, string>>;
}

/** A script of a person in a folder of its own, and what an agent writes elsewhere. */
const shell = (name: string, line: string, agentFiles: Attack["agent"]): Attack => ({
  words: ["sh", `run/${name}/run.sh`],
  files: { [`run/${name}/run.sh`]: `echo agreed\n${line}\n` },
  agent: agentFiles,
});
const node = (name: string, names: string, agentFiles: Attack["agent"]): Attack => ({
  words: ["node", `run/${name}/run.mjs`],
  files: { [`run/${name}/run.mjs`]: importing(names) },
  agent: agentFiles,
});

const attacks: Readonly<Record<string, Attack>> = {
  "a list of plugins in JSON": node("json", 'JSON.parse(readFileSync("a/list.json", "utf8")).plugins', {
    "a/list.json": '{"plugins":["a/one.mjs"]}',
    "a/one.mjs": js,
  }),
  "a list of plugins in YAML": node("yaml", 'readFileSync("b/list.yaml", "utf8").split("\\n- ").slice(1)', {
    "b/list.yaml": "plugins:\n- b/one.mjs",
    "b/one.mjs": js,
  }),
  "a list of plugins in TOML": {
    words: ["python3", "run/toml/run.py"],
    files: {
      "run/toml/run.py":
        'import re\nprint("agreed")\nfor each in re.findall(r\'"(.*?)"\', open("c/list.toml").read()): exec(open(each).read())\n',
    },
    agent: { "c/list.toml": 'plugins = ["c/one.txt"]', "c/one.txt": py },
  },
  "a list of scripts in CSV": shell("csv", 'while IFS=, read -r n _; do . "./$n"; done < d/list.csv', {
    "d/list.csv": "d/one,1\n",
    "d/one": sh,
  }),
  "settings with a shell, as .npmrc has": shell("npmrc", '$(sed -n "s/^shell=//p" .toolrc) -c :', {
    ".toolrc": "shell=./e/one\n",
    "e/one": "#!/bin/sh\necho owned\n",
  }),
  "settings with modules, as .mocharc has": node("mocharc", 'JSON.parse(readFileSync(".runrc.json", "utf8")).require', {
    ".runrc.json": '{"require":["f/setup.mjs"]}',
    "f/setup.mjs": js,
  }),
  "settings beside sources, as .babelrc": node("babelrc", 'JSON.parse(readFileSync("g/.presetrc", "utf8")).plugins', {
    "g/.presetrc": '{"plugins":["g/plugin.mjs"]}',
    "g/plugin.mjs": js,
  }),
  "a folder of NODE_PATH": shell(
    "nodepath",
    "NODE_PATH=\"$PWD/$(cat h/where)\" node -e 'require(process.argv[1])' thing",
    {
      "h/where": "h/libs",
      "h/libs/thing.js": js,
    },
  ),
  "a folder of PATH": shell("path", 'PATH="$PWD/$(cat i/where):$PATH"; "$(cat i/name)"', {
    "i/where": "i/tools",
    "i/name": "check",
    "i/tools/check": "#!/bin/sh\necho owned\n",
  }),
  "a hook of git": shell(
    "git",
    'git init -q /tmp/r && git -C /tmp/r -c user.name=a -c user.email=a@b.c -c core.hooksPath="$PWD/$(cat j/where)" commit -q --allow-empty -m x',
    { "j/where": "j/own", "j/own/pre-commit": "#!/bin/sh\necho owned\n" },
  ),
  "what a Makefile includes": {
    words: ["make", "-s", "-f", "run/make/rules"],
    files: { "run/make/rules": "all:\n\t@echo agreed\n-include $(shell cat k/where 2>/dev/null)\n" },
    agent: { "k/where": "k/more", "k/more": "$(info owned)\n" },
  },
  "a module that Python loads by itself": shell("site", 'PYTHONPATH="$(cat l/where)" python3 -c "print(1)"', {
    "l/where": "l/lib",
    "l/lib/sitecustomize.py": py,
  }),
  "a script whose name is put together": shell("source", '. "./$(cat m/part1)/$(cat m/part2)"', {
    "m/part1": "m",
    "m/part2": "one",
    "m/one": sh,
  }),
  "whatever lies in a folder": shell("glob", "find n -type f -name '*.plugin' -exec sh {} \\;", { "n/one.plugin": sh }),
  "a folder of Perl": shell("perl", 'perl -I"$(cat o/where)" -MThing -e1', {
    "o/where": "o/lib",
    "o/lib/Thing.pm": 'print "owned\\n"; 1;\n',
  }),
  "a program of awk": shell("awk", 'awk -f "$(cat p/where)" /dev/null', {
    "p/where": "p/one",
    "p/one": 'BEGIN { print "owned" }\n',
  }),
  "data that is evaluated": shell("eval", 'eval "$(cat q/settings)"', { "q/settings": sh }),
  "options of an interpreter": shell("options", 'NODE_OPTIONS="$(cat r/options)" node -e 0', {
    "r/options": "--require ./r/one.cjs",
    "r/one.cjs": js,
  }),
  "names for xargs": shell("xargs", "xargs -n1 sh < s/names", { "s/names": "s/one\n", "s/one": sh }),
  "a module of a package of Python": shell("runpy", 'cd t && python3 -m "$(cat where)"', {
    "t/where": "pack.one",
    "t/pack/one.py": py,
  }),
  "an archive": shell("archive", "mkdir -p /tmp/x && base64 -d u/blob | sh", {
    "u/blob": Buffer.from(sh).toString("base64"),
  }),
  "settings behind a link": node("linked", 'JSON.parse(readFileSync("v/linked.json", "utf8")).plugins', {
    "v/real.json": '{"plugins":["v/one.mjs"]}',
    "v/one.mjs": js,
  }),
};
const names = Object.keys(attacks);
/** What tools find by themselves, or a text names as code, is not shown by a wide `live` either. */
const closed = ["a module that Python loads by itself", "a folder of Perl", "names for xargs"];

describe("nothing that an agent wrote is found by a program that may read everything", () => {
  const wide = { read: ["**"] };
  let programs: Programs;
  let later: Programs;
  beforeAll(async () => {
    for (const name of names) for (const [path, text] of Object.entries(attacks[name]?.files ?? {})) put(path, text);
    for (const letter of "abcdefghijklmnopqrstuv") put(`${letter}/person.txt`, "");
    symlinkSync("real.json", join(root, "v/linked.json"));
    programs = open();
    // Taken into a snapshot before an agent is at work.
    for (const name of names)
      await programs.admit({ where: "hooks.Stop[0].hooks[0]", words: attacks[name]?.words ?? [], rights: wide });
    for (const name of names) for (const [path, text] of Object.entries(attacks[name]?.agent ?? {})) agent(path, text);
    later = open();
  });

  test.each(names)("%s", async (name) => {
    const { words } = attacks[name] as Attack;
    expect(await said(programs, words, wide)).not.toContain("owned");
    // A process that starts later, and so looks at the files anew.
    expect(await said(later, words, wide)).not.toContain("owned");
    if (!closed.includes(name)) expect(await said(later, words, { ...wide, live: ["**"] })).toContain("owned");
  });

  test("the notice names the line that shows it, once for each folder", () => {
    const about = notices.filter((line) => line.includes("does not see"));
    expect(about.join("\n")).toContain('"a/**"');
    expect(about.join("\n")).toMatch(
      /`live: \[.*\]` under hooks\.Stop\[0\]\.hooks\[0\]\.rights in writ\.yaml shows it/,
    );
  });
});
