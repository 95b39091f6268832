import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { copyOfTheTree, type TreeCopy } from "./copy-of-the-tree.ts";
import { plantedWalls, violations } from "./planted-walls.ts";

// Put together here, because this file obeys the rule too.
const machinePath = ["", "work", "x"].join("/");

/** A forbidden word in comments and in names, and where it is neither: in strings, templates and regular expressions. */
const plantedWords = [
  "// Nobody is asked.",
  "/**",
  " * ü: told apart by bytes",
  " */",
  'const url = "https://nobody.example";',
  "const slashes = /[/*]nobody/g;",
  "const half = (text: string): number => text.length / 2; // somebody halves it / again",
  "export const toldRows: string = `// nobody ${half(`/* told ${url /* heard here */} */`)} whoever`;",
  "export const apart: RegExp = slashes; // untold, heard-of",
  "export class TurnDesk {",
  "  #whoever = 1;",
  "  get one(): number {",
  "    return this.#whoever;",
  "  }",
  "}",
  "",
].join("\n");

let tree: TreeCopy;
beforeAll(() => {
  tree = copyOfTheTree();
});
afterAll(() => tree.drop());

/** What the tests below ask about, planted at once: each step is run once over all of it, and answers for its own fault. */
const faults = {
  ...plantedWalls,
  "src/core/values/planted-type.ts": `export const planted: number = "text";\n`,
  "src/work/planted.ts": "export const plantedAtTheDoor = 1;\nexport const plantedInside = 2;\n",
  "src/core/values/orphan.ts": "export const orphan = 1;\n",
  "src/core/values/planted.ts":
    "async function later(): Promise<void> {}\nexport function start( ): void {\n  later();\n}\n",
  "test/e2e/planted.test.ts": `import { onTestFinished, test } from "vitest";\n\ntest.concurrent("planted", () => onTestFinished(() => undefined));\n`,
  "src/log/planted.ts": `export const now = (): number => Date.now();\nexport const home = "${machinePath}";\nexport const cast = 'event as Event<"tool.invoke">';\nexport const most = "order.budget?.token_limit";\nexport const bare = "payload as never";\n`,
  "src/work/flow/planted.ts":
    "export class Planted {\n  of(a: number, b: number, c: number, d: number, e: number): number {\n    return a + b + c + d + e;\n  }\n}\n",
  "src/main/planted-code.ts": `${"// A line.\n".repeat(200)}export const plantedCode = 1;\n`,
  "src/core/planted/index.ts": Array.from({ length: 61 }, (_, at) => `export const name${at} = ${at};\n`).join(""),
  ...Object.fromEntries(Array.from({ length: 41 }, (_, at) => [`src/proof/planted/query-${at}.sql`, "select 1;\n"])),
  "src/planted/words.ts": plantedWords,
  "src/planted/cli/help.ts": `export const summary = "until told to end";\nexport const usage = (name: string): string => \`whoever \${name}\`;\n`,
  "src/planted/told-path.ts": "export const ReadyLot = 1;\nexport const placesOfIt = 2;\n",
  "src/planted/query.sql": "-- Waits for whoever holds it.\nselect 'nobody';\n",
  "src/planted/take-up-interrupted.ts": "export const one = 1;\n",
  "docs/guides/planted.md": "# Planted\n\nÜ: nobody asks.\n\n```text\nnobody asks\n```\n\nSomebody answers.\n",
  "docs/decisions/9999-planted.md": "# Planted\n\nNobody asks.\n",
  "studio/src/planted/words.tsx": `async function heardOf(): Promise<void> {}\nexport function Planted() {\n  heardOf();\n  return <p>{/* whoever */} told</p>;\n}\n`,
};

describe("faults planted in the tree, and npm run check over them", () => {
  let said: { readonly status: number | null; readonly output: string };
  beforeAll(() => {
    const door = tree.read("src/work/index.ts");
    for (const [file, text] of Object.entries(faults)) tree.write(file, text);
    tree.write("src/work/index.ts", `${door}export { plantedAtTheDoor } from "./planted.ts";\n`);
    said = tree.checkByNpm(
      "contracts",
      "types",
      "format",
      "lint",
      "walls",
      "dead",
      "rules",
      "parameters",
      "words",
      "house",
    );
    for (const file of Object.keys(faults)) tree.remove(file);
    tree.write("src/work/index.ts", door);
  }, 900_000); // all checks of the house, on a machine that may be busy

  /** What one step said, if it failed. */
  const complaint = (step: string): string => {
    const [, mine] = said.output.split(new RegExp(`^FAILED +[0-9.]+ s  ${step} .*$`, "m"));
    return mine?.split(/^(?:ok|FAILED|red:) /m)[0] ?? "";
  };

  // The control of every test here: whatever is red was green before, also where the steps that take longest looked.
  test("before anything was planted, the tree was green: nothing else is complained of", () => {
    expect(said.output).toMatch(/^ok .* contracts /m);
    const places = (step: string) => [...new Set(complaint(step).match(/[\w.@/-]+\/[\w.@-]+\.\w+/g))].toSorted();
    expect(places("types")).toEqual(["src/core/values/planted-nowhere.ts", "src/core/values/planted-type.ts"]);
    const walled = [...complaint("walls").matchAll(/^ +[\w-]+: (src\/\S+) ->/gm)].map(([, file = ""]) => file);
    expect(walled.filter((file) => !(file in plantedWalls))).toEqual([]);
    expect(places("format")).toEqual(["src/core/values/planted.ts", "src/work/index.ts"]); // planted out of its order
    expect(places("lint")).toEqual(["src/core/values/planted.ts", "studio/src/planted/words.tsx"]);
    const unused = Object.keys(faults).filter((file) => /^(src|studio)\/.*\.tsx?$/.test(file)); // no file imports a test, and none is dead
    expect(places("dead")).toEqual([...unused, "src/work/index.ts"].toSorted());
    expect(complaint("dead").match(/Unused \w+/g)).toEqual(["Unused files", "Unused exports"]);
    expect(places("rules")).toEqual(["src/log/planted.ts", "test/e2e/planted.test.ts"]);
    expect(places("parameters")).toEqual(["src/work/flow/planted.ts"]);
    expect(places("words")).toEqual([
      "docs/guides/planted.md",
      "src/planted/cli/help.ts",
      "src/planted/query.sql",
      "src/planted/take-up-interrupted.ts",
      "src/planted/told-path.ts",
      "src/planted/words.ts",
      "studio/src/planted/words.tsx",
    ]);
    expect(places("house")).toEqual(["src/core/planted/index.ts", "src/main/planted-code.ts"]);
  });

  test.each(violations)("$wall", ({ file, rule }) => {
    expect(complaint("walls")).toMatch(new RegExp(`${rule}: .*${file.replace("src/", "").replace(".ts", "")}`));
  });

  test("a type error turns the check red and is shown with its place", () => {
    expect(complaint("types")).toContain("src/core/values/planted-type.ts(1,14): error TS2322");
  });

  test("a dead export of a file, and one of a place's door, turn the check red", () => {
    expect(complaint("dead")).toMatch(/plantedInside\s+src\/work\/planted\.ts/);
    expect(complaint("dead")).toMatch(/plantedAtTheDoor\s+src\/work\/index\.ts/);
  });

  test("a file that no other file imports turns the check red", () => {
    expect(complaint("dead")).toContain("src/core/values/orphan.ts");
  });

  test("a floating promise and bad format turn the check red", () => {
    expect(complaint("lint").match(/no-floating-promises/g)).toHaveLength(2); // one in the runtime, one in the studio
    expect(complaint("format")).toContain("src/core/values/planted.ts");
  });

  test("time taken from the machine, and a machine's own path, break a house rule", () => {
    expect(complaint("rules")).toContain("src/log/planted.ts:1");
    expect(complaint("rules")).toContain("src/log/planted.ts:2");
  });

  test("an event that is cast to its type, or a payload to any, breaks a house rule", () => {
    expect(complaint("rules")).toContain("src/log/planted.ts:3");
    expect(complaint("rules")).toContain("src/log/planted.ts:4");
    expect(complaint("rules")).toContain("src/log/planted.ts:5");
    expect(complaint("rules")).toContain("what an order may do is asked of its mandate");
  });

  test("a hook that is not the test's own, among tests that run at once, breaks a house rule", () => {
    expect(complaint("rules")).toContain("test/e2e/planted.test.ts: tests at once");
  });

  test("a method with five positional parameters is named with its place", () => {
    expect(complaint("parameters")).toContain("src/work/flow/planted.ts:2: of takes 5 parameters");
  });

  test("a forbidden word is found in comments and names of the runtime and of the studio, and in no text", () => {
    const found = complaint("words").match(/\S+:\d+: \w+/g);
    expect(found?.filter((line) => line.startsWith("src/planted/words.ts"))).toEqual(
      ["1: nobody", "3: told", "7: somebody", "8: heard", "9: heard", "8: told", "10: desk", "11: whoever"].map(
        (line) => `src/planted/words.ts:${line}`,
      ),
    );
    expect(found?.filter((line) => line.startsWith("studio/src/planted/"))).toEqual([
      "studio/src/planted/words.tsx:4: whoever",
      "studio/src/planted/words.tsx:1: heard",
    ]);
  });

  test("a vague word in a help text, a query or a page, and a name that the dictionary replaced, turn the check red", () => {
    const found = complaint("words")
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => /planted/.test(line) && !/words\.tsx?/.test(line));
    expect(found).toEqual(
      expect.arrayContaining([
        "src/planted/cli/help.ts:1: told",
        "src/planted/cli/help.ts:2: whoever",
        "src/planted/query.sql:1: whoever",
        "src/planted/told-path.ts:1: told",
        "src/planted/told-path.ts:1: ReadyLot (say ReadyBatch)",
        "src/planted/take-up-interrupted.ts:1: take-up-interrupted (say resume-interrupted)",
        "docs/guides/planted.md:3: nobody",
        "docs/guides/planted.md:9: somebody",
      ]),
    );
    expect(found).toHaveLength(8);
  });

  test("a main above its ceiling, a door and a folder above their limits turn the check red", () => {
    expect(complaint("house")).toContain("src/main/planted-code.ts: 201 lines, and a file of main has at most 200");
    expect(complaint("house")).toMatch(/src\/main: \d+ lines, and at most 899/);
    expect(complaint("house")).toContain("src/core/planted/index.ts: 61 names, and at most 60");
    expect(complaint("house")).toContain("src/proof/planted: 41 files, and at most 40");
  });

  test("several failures are all shown, and npm run check itself ends red", () => {
    expect(said.status).toBe(1);
    for (const step of ["types", "format", "lint", "walls", "dead", "rules", "parameters", "words", "house"])
      expect(said.output).toMatch(new RegExp(`^FAILED .* ${step} `, "m"));
    expect(said.output).toContain("red: types, format, lint, walls, dead, rules, parameters, words, house");
  });
});

test("a report of the walls that saw no module, and none at all, are refused: the cruiser calls that a pass", () => {
  const report = {
    modules: [],
    summary: { violations: [], totalCruised: 0, totalDependenciesCruised: 0 },
  };
  const judge = (input: string) =>
    spawnSync(process.execPath, ["scripts/check-walls.mjs"], { cwd: tree.folder, input, encoding: "utf8" });
  const empty = judge(JSON.stringify(report));
  expect(empty.status).toBe(1);
  expect(empty.stdout).toContain("not looked at: src/core/values/index.ts");
  expect(judge("").status).toBe(1);
});

/** Plants one file, runs one step, and takes the file away again. */
function planted(
  step: string,
  file: string,
  text: string,
): { readonly status: number | null; readonly output: string } {
  tree.write(file, text);
  try {
    return tree.check(step);
  } finally {
    tree.remove(file);
  }
}

test("a contract that is no valid JSON Schema turns the check red and names the file", () => {
  const { status, output } = planted("contracts", "schemas/planted_v1.json", `{"$id":"planted_v1","type":"banana"}`);
  expect(status).toBe(1);
  expect(output).toContain("planted_v1");
});

test("a recursive removal by path breaks a house rule, however its call is broken into lines", () => {
  const text = `import { rmSync } from "node:fs";\n\nexport function clear(a: string): void {\n  rmSync(join(a, "x"), {\n    force: true,\n    recursive: true,\n  });\n  execFileSync("sh", ["-c", 'chmod u+w x; rm -rf x']);\n}\n`;
  const { status, output } = planted("rules", "src/effects/sandbox/planted.ts", text);
  expect(status).toBe(1);
  expect(output).toContain("src/effects/sandbox/planted.ts:4:");
  expect(output).toContain("src/effects/sandbox/planted.ts:8:");
  expect(output).toContain("removeTree of #core/machine");
});

test("a contract without an enforcer, an enforcer or a contract that is gone, and one that is listed twice turn the check red", () => {
  const schema = { $schema: "https://json-schema.org/draft/2020-12/schema", title: "A mail", type: "object" };
  const properties = { max_mails: { type: "integer" } };
  const mail = (id: string) => JSON.stringify({ ...schema, $id: id, properties });
  const faulty: Readonly<Record<string, (text: string) => string>> = {
    "schemas/work_order_v2.json": (text) =>
      text.replace('"labels": {', '"max_mails": { "type": "integer" },\n    "labels": {'),
    "schemas/writ_config_v1.json": (text) =>
      text.replace('"lease_seconds": {', '"max_mails": { "type": "integer" },\n        "lease_seconds": {'),
    "schemas/enforcers.yaml": (text) => text.replace("governance/mandate/permissions.ts", "governance/mandate/gone.ts"),
    "schemas/records.yaml": (text) => text.replace("[mandate_v1]", "[mandate_v1, letter_v1, persona_v1, gone_v1]"),
  };
  const before = Object.keys(faulty).map((file) => [file, tree.read(file)] as const);
  for (const [file, text] of before) tree.write(file, faulty[file]?.(text) ?? "");
  for (const id of ["mail_v1", "letter_v1"]) tree.write(`schemas/${id}.json`, mail(id));
  const { status, output } = tree.check("contracts");
  for (const [file, text] of before) tree.write(file, text);
  for (const id of ["mail_v1", "letter_v1"]) tree.remove(`schemas/${id}.json`);
  expect(status).toBe(1);
  expect(output).toContain("$.max_mails is enforced by no source file");
  expect(output).toContain("$.conductor.max_mails is enforced by no source file");
  expect(output).toContain("src/governance/mandate/gone.ts, which is not there");
  expect(output).toContain("schemas/mail_v1.json: nothing says who holds it");
  expect(output).not.toContain("letter_v1"); // the list of records names it
  expect(output).toContain("persona_v1 is in enforcers.yaml too");
  expect(output).toContain("there is no contract gone_v1");
});

test("a changed frozen contract turns the check red with the words that say what to do", () => {
  const file = "schemas/event_v1.json";
  const [contract, frozen] = [tree.read(file), tree.read("schemas/frozen.json")];
  const sha256 = createHash("sha256").update(contract).digest("hex");
  tree.write("schemas/frozen.json", JSON.stringify({ ...JSON.parse(frozen), event_v1: sha256 }));
  expect(tree.check("contracts").status).toBe(0);
  tree.write(file, contract.replace('"minimum": 1', '"minimum": 0'));
  const { status, output } = tree.check("contracts");
  tree.write(file, contract);
  tree.write("schemas/frozen.json", frozen);
  expect(status).toBe(1);
  expect(output).toContain("add a v2");
});

test("a step that does not exist is wrong usage", () => {
  expect(tree.check("tpyes").status).toBe(2);
});
