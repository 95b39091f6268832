import { linkSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writ } from "../support/resident-writ.ts";
import { type TestWorkspace, testWorkspace } from "../support/runtime-workspace.ts";

const suite = `
id: greet
description: people are greeted by name
concurrency: 2
graders:
  - { kind: cel, name: cheap, expression: "tokens.total < 5000 && status == 'success'" }
cases:
  - id: by-name
    input: { prompt: "greet Ada" }
    expected: "Hello, Ada"
    graders:
      - { kind: expected }
      - { kind: command, command: [grep, -q, Ada] }
      - { kind: model, rubric: "greets the person by name" }
  - id: as-document
    input: { prompt: "greet Bob" }
    graders:
      - { kind: schema, schema: grade_v1 }
`;

let workspace: TestWorkspace;
let root: string;
beforeAll(async () => {
  workspace = await testWorkspace();
  root = workspace.root;
  await workspace.runtime.close();
  mkdirSync(join(root, "evals"), { recursive: true });
  writeFileSync(join(root, "evals", "greet.yaml"), suite);
});
afterAll(() => workspace[Symbol.asyncDispose]?.());

describe("writ eval", () => {
  test("runs each case through a flow, asks every grader, and fails where one says no", async () => {
    const ran = await writ(["eval", "greet", "--json", "--save-baseline", "--root", root]);
    expect(ran.status).toBe(1);
    const report = JSON.parse(ran.stdout);
    const [named, document] = report.cases;
    expect(named).toMatchObject({ id: "by-name", pass_rate: 1 });
    expect(named.repeats[0].grades.map((grade: { grader: string }) => grade.grader)).toEqual([
      "cheap",
      "expected",
      "command",
      "model",
    ]);
    expect(named.repeats[0].grades.every((grade: { passed: boolean }) => grade.passed)).toBe(true);
    expect(document.pass_rate).toBe(0);
    expect(document.repeats[0].grades.at(-1)).toMatchObject({ grader: "schema", passed: false });
    // Every act has a session: the two cases, and the program and the model that graded.
    const verified = await writ(["session", "verify", "--all", "--json", "--root", root]);
    expect(verified.status).toBe(0);
    for (const grade of named.repeats[0].grades.slice(2)) expect(grade.session_id).toMatch(/^SES-/);
  });

  test("with a baseline only what got worse fails; a case that was taken out counts", async () => {
    const same = await writ(["eval", "greet", "--json", "--root", root]);
    expect(same.status).toBe(0);
    expect(JSON.parse(same.stdout).regressions).toEqual([]);
    const worse = readFileSync(join(root, "evals", "greet.yaml"), "utf8").replace('"Hello, Ada"', '"Good evening"');
    writeFileSync(join(root, "evals", "greet.yaml"), worse);
    const fell = await writ(["eval", "greet", "--repeat", "2", "--json", "--root", root]);
    expect(fell.status).toBe(1);
    expect(JSON.parse(fell.stdout).regressions).toEqual([{ case: "by-name", before: 1, now: 0 }]);
    const text = await writ(["eval", "greet", "--root", root]);
    expect(text.stdout).toContain("was 100 %");
    expect(text.stdout).toContain('expected "Good evening"');
  });

  test("a baseline that cannot be read is an error and runs nothing; one that is kept anew is another file, whole", async () => {
    const grader = `{ kind: cel, name: done, expression: "status == 'success'" }`;
    writeFileSync(
      join(root, "evals", "one.yaml"),
      `id: one\ngraders: [${grader}]\ncases: [{ id: a, input: { prompt: greet Ada } }]\n`,
    );
    const folder = join(root, "planes/hot/evals/one");
    const baseline = join(folder, "baseline.json");
    const first = await writ(["eval", "one", "--save-baseline", "--root", root]);
    expect(first.status).toBe(0);
    expect(first.stdout).toMatch(/no baseline yet\nkept as the baseline for later runs\n$/);
    const text = readFileSync(baseline, "utf8");
    linkSync(baseline, join(folder, "kept"));
    expect((await writ(["eval", "one", "--save-baseline", "--root", root])).status).toBe(0);
    expect(readFileSync(join(folder, "kept"), "utf8")).toBe(text);
    expect(readFileSync(baseline, "utf8")).not.toBe(text);
    const before = readdirSync(folder);
    for (const torn of [text.slice(0, -20), "", "{}\n"]) {
      writeFileSync(baseline, torn);
      const refused = await writ(["eval", "one", "--save-baseline", "--root", root]);
      expect(refused.status).toBe(2);
      for (const part of ["planes/hot/evals/one/baseline.json", "nothing was compared", "remove it"])
        expect(refused.stderr).toContain(part);
    }
    expect(readdirSync(folder)).toEqual(before);
    const compared = await writ(["eval", "one", "--baseline", join(folder, "kept"), "--save-baseline", "--root", root]);
    expect([compared.status, compared.stdout]).toEqual([0, expect.stringContaining("nothing got worse")]);
    expect((await writ(["eval", "one", "--root", root])).status).toBe(0);
  });

  test("a path is looked for from the current folder, that of the suite as that of the baseline; a name in evals/", async () => {
    const elsewhere = join(root, "elsewhere");
    mkdirSync(elsewhere, { recursive: true });
    const one = `id: mine\ngraders: [{ kind: expected }]\ncases: [{ id: a, input: { prompt: greet Ada }, expected: "Hello, Ada" }]\n`;
    writeFileSync(join(elsewhere, "mine.yaml"), one);
    const first = await writ(["eval", "mine.yaml", "--json", "--root", ".."], { cwd: elsewhere });
    expect([first.status, first.stderr]).toEqual([0, ""]);
    writeFileSync(join(elsewhere, "report.json"), first.stdout);
    const line = ["eval", "./mine.yaml", "--baseline", "report.json", "--root", ".."];
    const compared = await writ(line, { cwd: elsewhere });
    expect([compared.status, compared.stdout]).toEqual([0, expect.stringContaining("nothing got worse")]);
    const lost = await writ(["eval", "evals/one.yaml", "--root", ".."], { cwd: elsewhere });
    expect([lost.status, lost.stderr]).toEqual([2, expect.stringContaining("from the current folder")]);
    expect((await writ(["eval", "one", "--root", ".."], { cwd: elsewhere })).status).toBe(0);
  });

  test("a suite that cannot be run says everything that is wrong with it, and runs nothing", async () => {
    const bad = suite
      .replace("tokens.total < 5000", "tokenz.total < 5000")
      .replace("schema: grade_v1", "schema: no_such_v1")
      .replace("as-document", "by-name");
    writeFileSync(join(root, "evals", "bad.yaml"), bad);
    const refused = await writ(["eval", "bad", "--root", root]);
    expect(refused.status).toBe(2);
    expect(refused.stderr).toContain("did you mean tokens");
    expect(refused.stderr).toContain("no schema no_such_v1");
    expect(refused.stderr).toContain("by-name is there twice");
    for (const once of ["no schema no_such_v1", "evals/bad.yaml"]) expect(refused.stderr.split(once)).toHaveLength(2);
    expect((await writ(["eval", "nowhere", "--root", root])).status).toBe(2);
    // Status 1 would tell a CI that an agent got worse.
    for (const [text, told] of [
      ["suite: greet\n", "evals/bad.yaml: 3 problems against eval_suite_v1"],
      ["cases: [\n", "evals/bad.yaml: line 2"],
    ] as const) {
      writeFileSync(join(root, "evals", "bad.yaml"), text);
      const unread = await writ(["eval", "bad", "--root", root]);
      expect([unread.status, unread.stderr]).toEqual([2, expect.stringContaining(told)]);
    }
  });
});
