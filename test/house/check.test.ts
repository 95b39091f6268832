import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { copyOfTheTree, type TreeCopy } from "./copy-of-the-tree.ts";

// Put together here, because this file obeys the rule too.
const machinePath = ["", "work", "x"].join("/");

let tree: TreeCopy;
beforeAll(() => {
  tree = copyOfTheTree();
});
afterAll(() => tree.drop());

// The control of every test below: whatever turns red there was green before. The steps that take longest on an untouched tree
// (lint, dead code) are held by `npm run check` in continuous integration and by what their own tests say of other files.
test("before anything is planted, the untouched tree is green", () => {
  const { status, output } = tree.check("contracts", "types", "format", "rules", "walls");
  expect(output).toContain("all green");
  expect(status).toBe(0);
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

test("a type error turns the check red and is shown with its place", () => {
  const { status, output } = planted("types", "src/base/planted.ts", `export const planted: number = "text";\n`);
  expect(status).toBe(1);
  expect(output).toContain("src/base/planted.ts(1,14): error TS2322");
});

test("a dead export of a file, and one of a room's door, turn the check red", () => {
  const door = tree.read("src/cli/index.ts");
  tree.write("src/cli/index.ts", `${door}export { plantedAtTheDoor } from "./planted.ts";\n`);
  const { status, output } = planted(
    "dead",
    "src/cli/planted.ts",
    "export const plantedAtTheDoor = 1;\nexport const plantedInside = 2;\n",
  );
  tree.write("src/cli/index.ts", door);
  expect(status).toBe(1);
  expect(output).toMatch(/plantedInside\s+src\/cli\/planted\.ts/);
  expect(output).toMatch(/plantedAtTheDoor\s+src\/cli\/index\.ts/);
});

test("a file that nobody imports turns the check red", () => {
  const { status, output } = planted("dead", "src/base/orphan.ts", "export const orphan = 1;\n");
  expect(status).toBe(1);
  expect(output).toContain("src/base/orphan.ts");
});

test("a floating promise and bad format turn the check red", () => {
  const source = "async function later(): Promise<void> {}\nexport function start( ): void {\n  later();\n}\n";
  const lint = planted("lint", "src/base/planted.ts", source);
  expect(lint.status).toBe(1);
  expect(lint.output).toContain("no-floating-promises");
  const format = planted("format", "src/base/planted.ts", source);
  expect(format.status).toBe(1);
  expect(format.output).toContain("src/base/planted.ts");
});

test("a contract that is no valid JSON Schema turns the check red and names the file", () => {
  const { status, output } = planted("contracts", "schemas/planted_v1.json", `{"$id":"planted_v1","type":"banana"}`);
  expect(status).toBe(1);
  expect(output).toContain("planted_v1");
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

test("time taken from the machine, and a machine's own path, break a house rule", () => {
  const { status, output } = planted(
    "rules",
    "src/store/planted.ts",
    `export const now = (): number => Date.now();\nexport const home = "${machinePath}";\n`,
  );
  expect(status).toBe(1);
  expect(output).toContain("src/store/planted.ts:1");
  expect(output).toContain("src/store/planted.ts:2");
});

test("several failures are all shown, and npm run check itself ends red", () => {
  tree.write("src/base/planted.ts", `export const planted: number = "text";\n`);
  const { status, stdout } = spawnSync("npm", ["run", "--silent", "check", "--", "types", "dead"], {
    cwd: join(tree.folder),
    encoding: "utf8",
  });
  tree.remove("src/base/planted.ts");
  expect(status).toBe(1);
  expect(stdout).toMatch(/FAILED .* types/);
  expect(stdout).toMatch(/FAILED .* dead/);
  expect(stdout).toContain("red: types, dead");
});

test("a step that does not exist is wrong usage", () => {
  expect(tree.check("tpyes").status).toBe(2);
});
