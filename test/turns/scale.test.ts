import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type TurnWorkspace, turnWorkspace } from "../support/turn-workspace.ts";

/** WRIT_CAMPAIGN=1 is the whole: 10,000 outputs in one turn, and 100,000 files around it. */
const isCampaign = process.env["WRIT_CAMPAIGN"] === "1";
const outputs = isCampaign ? 10_000 : 2_000;
const filesInFolder = isCampaign ? 1_000 : 200;

let workspace: TurnWorkspace;
beforeAll(() => {
  workspace = turnWorkspace();
});
afterAll(() => workspace.close());

const writeMany = (folder: string, count: number) =>
  `const fs = require("fs"); fs.mkdirSync("${folder}", { recursive: true }); for (let i = 0; i < ${count}; i++) fs.writeFileSync("${folder}/f" + i, "content " + i)`;

test(`a turn with ${outputs} output files lands whole, each with its hash in the evidence`, async () => {
  const count = outputs;
  const result = await workspace.run({
    command: ["node", "-e", writeMany("many", count)],
    outputs: Array.from({ length: count }, (_, index) => `many/f${index}`),
  });
  expect(result.error).toBeNull();
  expect(readdirSync(join(workspace.root, "many"))).toHaveLength(count);
  expect(readFileSync(join(workspace.root, `many/f${count - 1}`), "utf8")).toBe(`content ${count - 1}`);
  expect(
    workspace.recorder
      .of("turn.committed")
      .at(-1)
      ?.outputs.filter(({ change }) => change === "create"),
  ).toHaveLength(count);
});

test("the same with one of them undeclared leaves none", async () => {
  const count = outputs / 2;
  const result = await workspace.run({
    command: ["node", "-e", writeMany("more", count + 1)],
    outputs: Array.from({ length: count }, (_, index) => `more/f${index}`),
  });
  expect(result.error?.code).toBe("UNDECLARED_WRITE");
  expect(existsSync(join(workspace.root, "more"))).toBe(false);
});

describe(`a workspace of ${100 * filesInFolder} files`, () => {
  beforeAll(() => {
    // Names of two files: what costs time here is the number of entries, not their content.
    for (const half of [0, 1]) {
      const source = join(workspace.root, `source${half}`);
      writeFileSync(source, "x");
      for (let folder = 0; folder < 50; folder++) {
        const path = join(workspace.root, "lots", `d${half}-${folder}`);
        mkdirSync(path, { recursive: true });
        for (let file = 0; file < filesInFolder; file++) linkSync(source, join(path, `f${file}`));
      }
    }
  });

  test("a turn in it sees it, changes one file, and only that one is realized", async () => {
    const result = await workspace.run({
      sh: "ls lots | wc -l; ls lots/d0-7 | wc -l; rm lots/d1-3/f5; echo new >lots/d1-3/f5",
      outputs: ["lots/d1-3/f5"],
    });
    expect(result.error).toBeNull();
    expect((result.result as { stdout: string }).stdout.split("\n").slice(0, 2)).toEqual([
      "100",
      String(filesInFolder),
    ]);
    expect(workspace.recorder.of("turn.committed").at(-1)?.outputs).toHaveLength(1);
    expect(readFileSync(join(workspace.root, "lots/d1-3/f5"), "utf8")).toBe("new\n");
    expect(readFileSync(join(workspace.root, "lots/d1-3/f6"), "utf8")).toBe("x");
  });

  test("what a turn costs depends on what it wrote, not on what lies around", async () => {
    const small = turnWorkspace();
    const cpuOf = async (where: TurnWorkspace) => {
      const before = process.cpuUsage();
      expect((await where.run({ sh: "echo x >one.txt", outputs: ["one.txt"] })).error).toBeNull();
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    await cpuOf(workspace); // the first one learns where secrets lie
    const costs = { small: [] as number[], large: [] as number[] };
    for (let round = 0; round < 6; round++) {
      costs.small.push(await cpuOf(small));
      costs.large.push(await cpuOf(workspace));
    }
    await small.close();
    expect(Math.min(...costs.large)).toBeLessThan(2 * Math.min(...costs.small));
  });

  test("a delete of a whole folder is recorded file by file", async () => {
    const result = await workspace.run({ sh: "rm -r lots/d0-1" });
    expect(result.error?.code).toBe("UNDECLARED_WRITE");
    expect(readdirSync(join(workspace.root, "lots/d0-1"))).toHaveLength(filesInFolder);
  });
});
